import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { type Reads, readLagging } from '../../../platform/database/read-replica.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import { bucketStarts, isUnfinished, rangeAsked, rangeBefore } from '../range.ts'
import { ALL_VIEWERS, MOST_VALUES, OTHER, REACHED_PARTS, VIEWER_DIMENSIONS, type ViewerDimension } from './viewer-limits.ts'
import type { ViewersInput } from './viewer-schema.ts'

/** Plays and watch time of a UTC day, or of a period. */
export interface Watched {
  plays: number
  minutes: number
}

/** What viewers with one value of a dimension watched; `before`: in the period before. */
export interface ViewerValue extends Watched {
  value: string
  before: Watched
}

/** What was watched of one video. */
export interface WatchedVideo extends Watched {
  videoId: string
  title: string
  isDeleted: boolean
  before: Watched
}

export interface Viewers extends DayRange {
  /** Every day of the range that has begun, oldest first; zeros without a play. */
  days: ({ day: string } & Watched)[]
  /** Whether the last day still runs. */
  unfinished: boolean
  totals: Watched
  previous: { days: ({ day: string } & Watched)[]; totals: Watched }
  /** Viewings that reached each share of their video, in percent; a viewing that began before the range may be among them. */
  reached: { share: number; viewings: number }[]
  /** By plays, `quality` by watch time; at most `MOST_VALUES` of each, and the sum of the others. */
  by: Record<ViewerDimension, ViewerValue[]>
  /** The most played ones; empty in the report of one video. */
  videos: WatchedVideo[]
}

/** Number of videos in the list of the most played ones. */
const MOST_VIDEOS = 20

/**
 * Returns who watched the account's videos, or one of them, over a range of UTC days, and in the period of the same length before. A replica
 * may be some seconds behind. Errors: VIDEO_NOT_FOUND, also for another account's video.
 */
export async function viewersReport({ accountId }: AccountCtx, { videoId, ...asked }: ViewersInput): Promise<Viewers> {
  const range = rangeAsked(asked)
  const { from, to } = range
  const before = rangeBefore(range)
  const owner = videoId ?? accountId
  const span = [owner, before.from, to]
  const source = videoId ? OF_VIDEO : OF_ACCOUNT
  const [days, values, videos] = await readLagging(async ({ on }) => {
    if (videoId) await requireVideo(accountId, videoId, on)
    return Promise.all([
      query<DayRow>(`viewers-days-${source.name}`, source.days, span, on),
      query<ValueRow>(`viewers-values-${source.name}`, valuesOf(source.table, source.owner), [...span, from], on),
      videoId ? [] : query<VideoRow>('viewers-videos', VIDEOS, [accountId, before.from, to, from, MOST_VIDEOS], on),
    ])
  })
  const all = { now: daysOf(days, range), before: daysOf(days, before) }
  const reached = videoId ? reachedOf(days, range) : new Map(values.map(({ dimension, value, plays }) => [`${dimension} ${value}`, plays]))
  return {
    ...range,
    days: all.now,
    unfinished: isUnfinished(range),
    totals: totalOf(all.now),
    previous: { days: all.before, totals: totalOf(all.before) },
    reached: REACHED_PARTS.map(({ share }) => ({ share, viewings: reached.get(`reached ${share}`) ?? 0 })),
    by: Object.fromEntries(VIEWER_DIMENSIONS.map((dimension) => [dimension, valuesIn(values, dimension)])) as Viewers['by'],
    videos: videos.map(({ videoId, title, isDeleted, ...row }) => ({ videoId, title, isDeleted, ...watchedOf(row) })),
  }
}

interface DayRow {
  day: string
  plays: number
  watchMs: number
  retention: number[] | null
}

interface CountRow {
  plays: number
  watchMs: number
  playsBefore: number
  watchMsBefore: number
}

interface ValueRow extends CountRow {
  dimension: string
  value: string
}

interface VideoRow extends CountRow {
  videoId: string
  title: string
  isDeleted: boolean
}

const MINUTE_MS = 60_000

const watchedOf = ({ plays, watchMs, playsBefore, watchMsBefore }: CountRow) => ({
  plays,
  minutes: watchMs / MINUTE_MS,
  before: { plays: playsBefore, minutes: watchMsBefore / MINUTE_MS },
})

/** Errors: VIDEO_NOT_FOUND, also for another account's video. */
export async function requireVideo(accountId: string, videoId: string, on: Reads['on']): Promise<void> {
  const found = await query('viewers-video', 'SELECT FROM video WHERE id = $1 AND account_id = $2', [videoId, accountId], on)
  if (found.length === 0) throw new ServiceError('VIDEO_NOT_FOUND')
}

const OF_ACCOUNT = {
  name: 'account',
  table: 'account_viewer_day',
  owner: 'account_id',
  days: `
    SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(plays)::float8 AS plays, sum(watch_ms)::float8 AS "watchMs", NULL::int[] AS retention
    FROM account_viewer_day WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND ${ALL_VIEWERS} GROUP BY 1`,
}

const OF_VIDEO = {
  name: 'video',
  table: 'viewer_day',
  owner: 'video_id',
  days: `
    SELECT to_char(day, 'YYYY-MM-DD') AS day, plays::float8 AS plays, watch_ms::float8 AS "watchMs", retention
    FROM view_day WHERE video_id = $1 AND day BETWEEN $2::date AND $3::date`,
}

// The sum of BIGINT is NUMERIC, which takes twice the time.
const COUNTS = `
  coalesce(sum(plays) FILTER (WHERE day >= $4::date), 0)::float8 AS plays,
  coalesce(sum(watch_ms::float8) FILTER (WHERE day >= $4::date), 0) AS "watchMs",
  coalesce(sum(plays) FILTER (WHERE day < $4::date), 0)::float8 AS "playsBefore",
  coalesce(sum(watch_ms::float8) FILTER (WHERE day < $4::date), 0) AS "watchMsBefore"`

/**
 * The sums of each value, those beyond `MOST_VALUES` of a dimension as one. MATERIALIZED lets the database sum in a hash table: for the
 * window it would sort all rows of the range.
 */
const valuesOf = (table: string, owner: string) => `
  WITH summed AS MATERIALIZED (
    SELECT dimension, value, ${COUNTS} FROM ${table} WHERE ${owner} = $1 AND day BETWEEN $2::date AND $3::date
    GROUP BY dimension, value)
  SELECT dimension, named AS value, sum(plays) AS plays, sum("watchMs") AS "watchMs", sum("playsBefore") AS "playsBefore",
    sum("watchMsBefore") AS "watchMsBefore"
  FROM (
    SELECT *, CASE WHEN row_number() OVER (PARTITION BY dimension ORDER BY plays DESC, "watchMs" DESC, value) > ${MOST_VALUES}
      THEN '${OTHER}' ELSE value END AS named
    FROM summed) AS ranked
  GROUP BY dimension, named`

const VIDEOS = `
  SELECT video.id AS "videoId", title, deleted_at IS NOT NULL AS "isDeleted", most.plays, "watchMs", "playsBefore", "watchMsBefore"
  FROM (
    SELECT video_id, ${COUNTS} FROM view_day WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date
    GROUP BY video_id ORDER BY plays DESC, "watchMs" DESC, video_id LIMIT $5) AS most
  JOIN video ON video.id = most.video_id
  WHERE most.plays > 0 OR "watchMs" > 0 ORDER BY most.plays DESC, "watchMs" DESC, video.id`

function daysOf(rows: readonly DayRow[], range: DayRange): ({ day: string } & Watched)[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return bucketStarts(range, 'day').map((day) => {
    const { plays = 0, watchMs = 0 } = byDay.get(day) ?? {}
    return { day, plays, minutes: watchMs / MINUTE_MS }
  })
}

const totalOf = (days: readonly Watched[]): Watched =>
  days.reduce((sum, { plays, minutes }) => ({ plays: sum.plays + plays, minutes: sum.minutes + minutes }), { plays: 0, minutes: 0 })

function reachedOf(rows: readonly DayRow[], { from }: DayRange): Map<string, number> {
  const now = rows.filter(({ day }) => day >= from)
  return new Map(
    REACHED_PARTS.map(({ share, part }) => [`reached ${share}`, now.reduce((sum, { retention }) => sum + (retention?.[part] ?? 0), 0)]),
  )
}

/** Returns the values of a dimension, the largest first; the sum of the others last. */
function valuesIn(rows: readonly ValueRow[], dimension: ViewerDimension): ViewerValue[] {
  const measure = dimension === 'quality' ? 'minutes' : 'plays'
  const rank = ({ value }: ViewerValue) => (value === OTHER ? 1 : 0)
  return rows
    .filter((row) => row.dimension === dimension && (row.plays > 0 || row.watchMs > 0))
    .map((row) => ({ value: row.value, ...watchedOf(row) }))
    .sort((a, b) => rank(a) - rank(b) || b[measure] - a[measure] || (a.value < b.value ? -1 : 1))
}
