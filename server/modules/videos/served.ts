/** SQL condition: the API shows the row `video`, which is neither deleted nor taken down. */
export const VISIBLE = 'deleted_at IS NULL AND taken_down_at IS NULL'

/** SQL condition: viewers can play the row `video`: the API shows it, and its account is not suspended. */
export const SERVED = `${VISIBLE} AND NOT EXISTS (
    SELECT 1 FROM account WHERE account.id = video.account_id AND account.suspended_at IS NOT NULL)`

/** Change notifications that invalidate caches of playable videos; a suspension names no videos and clears them. */
export const SERVED_TOPICS = {
  video: (subject: string) => subject.slice(subject.indexOf(':') + 1),
  suspension: () => undefined,
}
