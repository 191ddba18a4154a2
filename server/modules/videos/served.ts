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

/** SQL condition: there is something to play of the row `video`: all of it, or its beginning while it is transcoded. */
export const PLAYABLE = `(video.status = 'COMPLETED' OR video.status = 'PROCESSING' AND video.playable_at IS NOT NULL)`

/** SQL expression: qualities that the row `video` will have, highest first; null before its transcoding is planned. */
export const PLANNED_QUALITIES = `(
    SELECT ARRAY(SELECT spec ->> 'quality' FROM jsonb_array_elements(plan -> 'renditions') WITH ORDINALITY AS planned (spec, at) ORDER BY at)
    FROM transcode_queue WHERE media_id = video.media_id AND codec IS NULL AND plan IS NOT NULL)`
