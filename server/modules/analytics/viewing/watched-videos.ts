import { query, type Runner } from '../../../platform/database/database.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import type { Only } from './viewer-schema.ts'
import { COUNTS, type Counted, type CountedBefore } from './watched.ts'

/** Number of videos in the list of the most played ones. */
const MOST_VIDEOS = 20

/** What was watched of one video. */
export interface VideoRow extends CountedBefore {
  videoId: string
  title: string
  isDeleted: boolean
}

const MOST_PLAYED = `
    GROUP BY video_id ORDER BY plays DESC, "watchMs" DESC, video_id LIMIT $5) AS most
  JOIN video ON video.id = most.video_id
  WHERE most.plays > 0 OR "watchMs" > 0 ORDER BY most.plays DESC, "watchMs" DESC, video.id`

const WITH_TITLE = `
  SELECT video.id AS "videoId", title, deleted_at IS NOT NULL AS "isDeleted", most.plays, "watchMs", "playsBefore", "watchMsBefore" FROM`

const VIDEOS = `
  ${WITH_TITLE} (
    SELECT video_id, ${COUNTS} FROM view_day WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date${MOST_PLAYED}`

/** Its days are looked up by video: the rows by viewer have no index by account. */
const VIDEOS_OF_SOME = `
  ${WITH_TITLE} (
    SELECT video_id, ${COUNTS} FROM (
      SELECT seen.video_id, seen.day, seen.plays, seen.watch_ms FROM view_day watched
      JOIN viewer_day seen ON seen.video_id = watched.video_id AND seen.day = watched.day AND seen.dimension = $6 AND seen.value = $7
      WHERE watched.account_id = $1 AND watched.day BETWEEN $2::date AND $3::date) AS counted${MOST_PLAYED}`

/** Returns the most played videos of a range, by all viewers or some, with what was watched of them before it. */
export async function mostWatched(
  accountId: string,
  { from, to, before }: DayRange & { before: DayRange },
  on: Runner,
  only?: Only,
): Promise<VideoRow[]> {
  const values = [accountId, before.from, to, from, MOST_VIDEOS]
  return only
    ? query<VideoRow & Record<string, unknown>>('viewers-videos-some', VIDEOS_OF_SOME, [...values, only.dimension, only.value], on)
    : query<VideoRow & Record<string, unknown>>('viewers-videos', VIDEOS, values, on)
}

interface SumRow extends CountedBefore {
  videoId: string
}

/** Video by video, so that the plan for any parameters also uses the primary key. */
const SUMS = `
  SELECT id AS "videoId", sums.* FROM unnest($1::text[]) AS id CROSS JOIN LATERAL (
    SELECT ${COUNTS} FROM view_day WHERE video_id = id AND day BETWEEN $2::date AND $3::date) AS sums`

/** Returns what was watched of each of these videos. */
export async function watchedOf(videoIds: readonly string[], { from, to }: DayRange, on: Runner): Promise<Map<string, Counted>> {
  const rows = await query<SumRow & Record<string, unknown>>('viewers-of-videos', SUMS, [videoIds, from, to, from], on)
  return new Map(rows.map(({ videoId, plays, watchMs }) => [videoId, { plays, watchMs }]))
}
