import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { type Reads, readLagging } from '../../../platform/database/read-replica.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import { quantile } from '../quantile.ts'
import { bucketStarts, isUnfinished, rangeAsked, rangeBefore } from '../range.ts'
import { ALL_VIEWERS, MOST_VALUES, OTHER, REACHED_PARTS, VIEWER_DIMENSIONS, type ViewerDimension } from './viewer-limits.ts'
import type { ViewersInput } from './viewer-schema.ts'
import { STARTUP_BOUNDS } from './viewing-schema.ts'

/** Plays and watch time of a UTC day, or of a period. */
export interface Watched {
  plays: number
  minutes: number
}

/** What viewers with one value of a dimension watched. `before`: in the period before. */
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

/** How well videos played. */
export interface PlaybackQuality {
  /** Milliseconds from the play command to the first frame; null without a play. */
  startupP50: number | null
  startupP95: number | null
  /** Share of the time spent waiting for data, 0 to 1; null without watch time. */
  rebufferRatio: number | null
  /** Errors by what the player showed, most first. */
  errors: { kind: string; count: number }[]
}

export interface Viewers extends DayRange {
  /** Every day of the range that has started, oldest first. Zeros without a play. */
  days: ({ day: string } & Watched)[]
  /** Whether the last day is not over yet. */
  unfinished: boolean
  totals: Watched
  previous: { days: ({ day: string } & Watched)[]; totals: Watched }
  /** Viewings that reached each share of their video, in percent. May include a viewing that started before the range. */
  reached: { share: number; viewings: number }[]
  /** Of all viewers of the account; null in the report of one video, and of some viewers. */
  quality: PlaybackQuality | null
  /** By plays, `quality` by watch time; with `only`, just its dimension: no two are stored combined; at most `MOST_VALUES` of each, and the sum of the others. */
  by: Record<ViewerDimension, ViewerValue[]>
  /** The most played ones. Empty in the report of one video. */
  videos: WatchedVideo[]
}

/** Number of videos in the list of the most played ones. */
const MOST_VIDEOS = 20

/**
 * Returns who watched the account's videos, or one of them, over a range of UTC days and the equally long period before. A replica may be a
 * few seconds behind. Errors: VIDEO_NOT_FOUND, also for another account's video.
 */
export async function viewersReport({ accountId }: AccountCtx, { videoId, only, ...asked }: ViewersInput): Promise<Viewers> {
  const range = rangeAsked(asked)
  const { from, to } = range
  const before = rangeBefore(range)
  const owner = videoId ?? accountId
  const span = [owner, before.from, to]
  const source = videoId ? OF_VIDEO : OF_ACCOUNT
  const [days, values, videos] = await readLagging(async ({ on }) => {
    if (videoId) await requireVideo(accountId, videoId, on)
    const some = only && [only.dimension, only.value]
    const mostPlayed = [accountId, before.from, to, from, MOST_VIDEOS]
    return Promise.all([
      some
        ? query<DayRow>(`viewers-days-some-${source.name}`, daysOfSome(source.table, source.owner), [...span, ...some], on)
        : query<DayRow>(`viewers-days-${source.name}`, source.days, span, on),
      query<ValueRow>(`viewers-values-${source.name}`, valuesOf(source.table, source.owner), [...span, from], on),
      videoId
        ? []
        : some
          ? query<VideoRow>('viewers-videos-some', VIDEOS_OF_SOME, [...mostPlayed, ...some], on)
          : query<VideoRow>('viewers-videos', VIDEOS, mostPlayed, on),
    ])
  })
  const all = { now: daysOf(days, range), before: daysOf(days, before) }
  const totals = totalOf(all.now)
  const shown = only ? values.filter(({ dimension }) => dimension === only.dimension) : values
  const reached = only
    ? new Map()
    : videoId
      ? reachedOf(days, range)
      : new Map(values.map(({ dimension, value, plays }) => [`${dimension} ${value}`, plays]))
  return {
    ...range,
    days: all.now,
    unfinished: isUnfinished(range),
    totals,
    quality: videoId || only ? null : playbackQuality(values, totals.minutes * MINUTE_MS),
    previous: { days: all.before, totals: totalOf(all.before) },
    reached: REACHED_PARTS.map(({ share }) => ({ share, viewings: reached.get(`reached ${share}`) ?? 0 })),
    by: Object.fromEntries(VIEWER_DIMENSIONS.map((dimension) => [dimension, valuesIn(shown, dimension)])) as Viewers['by'],
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
 * The sums of each value, combining those beyond `MOST_VALUES` of a dimension. MATERIALIZED lets the database sum in a hash table; for the
 * window, it would sort all rows of the range.
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

/** Days of one value of a dimension. */
const daysOfSome = (table: string, owner: string) => `
  SELECT to_char(day, 'YYYY-MM-DD') AS day, plays::float8 AS plays, watch_ms::float8 AS "watchMs", NULL::int[] AS retention
  FROM ${table} WHERE ${owner} = $1 AND day BETWEEN $2::date AND $3::date AND dimension = $4 AND value = $5`

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

/** `watchMs`: all that was watched. */
function playbackQuality(rows: readonly ValueRow[], watchMs: number): PlaybackQuality {
  const of = (dimension: string) => rows.filter((row) => row.dimension === dimension)
  const startup = new Array<number>(STARTUP_BOUNDS.length + 1).fill(0)
  for (const { value, plays } of of('startup')) startup[Number(value)] = plays
  const rebufferMs = of('rebuffer').reduce((sum, row) => sum + row.watchMs, 0)
  // Nothing is known of days before these were counted.
  const isKnown = startup.some(Boolean) || rebufferMs > 0
  const errors = of('error').map(({ value, plays }) => ({ kind: value, count: plays }))
  return {
    startupP50: quantile(startup, 0.5),
    startupP95: quantile(startup, 0.95),
    rebufferRatio: isKnown ? rebufferMs / (watchMs + rebufferMs) : null,
    errors: errors.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1)),
  }
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
