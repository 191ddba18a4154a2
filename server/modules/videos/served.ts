/** SQL: whether the API shows the row `video`: it is neither deleted nor taken down. */
export const VISIBLE = 'deleted_at IS NULL AND taken_down_at IS NULL'

/** SQL: whether viewers get the row `video`: the API shows it, and its account is not suspended. */
export const SERVED = `${VISIBLE} AND NOT EXISTS (
    SELECT 1 FROM account WHERE account.id = video.account_id AND account.suspended_at IS NOT NULL)`

/** Change notices that concern every cache of what viewers get; a suspension names no videos, so it empties them. */
export const SERVED_TOPICS = {
  video: (subject: string) => subject.slice(subject.indexOf(':') + 1),
  suspension: () => undefined,
}
