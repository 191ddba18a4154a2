import { query, type Runner } from '../../../platform/database/database.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import { bucketStarts } from '../range.ts'
import { elementSums } from './playback-quality.ts'
import { ALL_VIEWERS, MOST_VALUES, OTHER, REACHED_PARTS, type ViewerDimension } from './viewer-limits.ts'
import type { Only } from './viewer-schema.ts'

/** Whose viewings: of all videos of an account, or of one of them. */
export interface Watchable {
  accountId: string
  videoId?: string | undefined
}

/** Plays and watch time. */
export interface Counted {
  plays: number
  watchMs: number
}

export interface CountedDay extends Counted {
  /** `YYYY-MM-DD`, UTC. */
  day: string
}

/** Counts of a range, and of the days before it. */
export interface CountedBefore extends Counted {
  playsBefore: number
  watchMsBefore: number
}

export interface CountedValue extends CountedBefore {
  value: string
}

export interface DayRow extends CountedDay {
  /** Viewings that reached each of `REACHED_PARTS`. Empty for some viewers. */
  reached: number[]
}

export interface ValueRow extends CountedValue {
  dimension: string
}

/** A range of UTC days, and the days before it with which it is compared; without `before`, none. */
export interface ComparedRange extends DayRange {
  before?: DayRange | undefined
}

const OF_ACCOUNT = {
  name: 'account',
  table: 'account_viewer_day',
  owner: 'account_id',
  days: `
    SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(plays)::float8 AS plays, sum(watch_ms)::float8 AS "watchMs",
      ${elementSums('reached', REACHED_PARTS)}
    FROM account_viewer_day WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND ${ALL_VIEWERS} GROUP BY 1`,
}

const OF_VIDEO = {
  name: 'video',
  table: 'viewer_day',
  owner: 'video_id',
  days: `
    SELECT to_char(day, 'YYYY-MM-DD') AS day, plays::float8 AS plays, watch_ms::float8 AS "watchMs",
      ARRAY[${REACHED_PARTS.map(({ part }) => `coalesce(retention[${part} + 1], 0)`).join(', ')}] AS reached
    FROM view_day WHERE video_id = $1 AND day BETWEEN $2::date AND $3::date`,
}

/** Days of one value of a dimension. */
const daysOfSome = (table: string, owner: string) => `
  SELECT to_char(day, 'YYYY-MM-DD') AS day, plays::float8 AS plays, watch_ms::float8 AS "watchMs", '{}'::int[] AS reached
  FROM ${table} WHERE ${owner} = $1 AND day BETWEEN $2::date AND $3::date AND dimension = $4 AND value = $5`

/** Returns what was watched on each day of a range and before it, by all viewers or some. Days without a viewing are left out. */
export async function watchedDays({ accountId, videoId }: Watchable, asked: ComparedRange, on: Runner, only?: Only): Promise<DayRow[]> {
  const source = videoId ? OF_VIDEO : OF_ACCOUNT
  const span = [videoId ?? accountId, asked.before?.from ?? asked.from, asked.to]
  return only
    ? query<DayRow>(`viewers-days-some-${source.name}`, daysOfSome(source.table, source.owner), [...span, only.dimension, only.value], on)
    : query<DayRow>(`viewers-days-${source.name}`, source.days, span, on)
}

// The sum of BIGINT is NUMERIC, which takes twice the time.
export const COUNTS = `
  coalesce(sum(plays) FILTER (WHERE day >= $4::date), 0)::float8 AS plays,
  coalesce(sum(watch_ms::float8) FILTER (WHERE day >= $4::date), 0) AS "watchMs",
  coalesce(sum(plays) FILTER (WHERE day < $4::date), 0)::float8 AS "playsBefore",
  coalesce(sum(watch_ms::float8) FILTER (WHERE day < $4::date), 0) AS "watchMsBefore"`

/**
 * The sums of each value in rows, combining those beyond `MOST_VALUES` of a dimension. MATERIALIZED lets the database sum in a hash table; for the
 * window, it would sort all rows of the range.
 */
export const valuesOf = (source: string) => `
  WITH summed AS MATERIALIZED (
    SELECT dimension, value, ${COUNTS} FROM ${source}
    GROUP BY dimension, value)
  SELECT dimension, named AS value, sum(plays) AS plays, sum("watchMs") AS "watchMs", sum("playsBefore") AS "playsBefore",
    sum("watchMsBefore") AS "watchMsBefore"
  FROM (
    SELECT *, CASE WHEN row_number() OVER (PARTITION BY dimension ORDER BY plays DESC, "watchMs" DESC, value) > ${MOST_VALUES}
      THEN '${OTHER}' ELSE value END AS named
    FROM summed) AS ranked
  GROUP BY dimension, named`

/** Returns what was watched in a range and before it, by the values of some dimensions. */
export async function watchedValues(
  { accountId, videoId }: Watchable,
  { from, to, before }: ComparedRange,
  dimensions: readonly ViewerDimension[],
  on: Runner,
): Promise<ValueRow[]> {
  const source = videoId ? OF_VIDEO : OF_ACCOUNT
  const span = [videoId ?? accountId, before?.from ?? from, to, from]
  const rows = `${source.table} WHERE ${source.owner} = $1 AND day BETWEEN $2::date AND $3::date AND dimension = ANY ($5)`
  return query<ValueRow>(`viewers-values-${source.name}`, valuesOf(rows), [...span, dimensions], on)
}

/** Returns every day of a range that has started, oldest first. Zeros without a viewing. */
export function daysOf(rows: readonly CountedDay[], range: DayRange): CountedDay[] {
  const byDay = new Map(rows.map((row) => [row.day, row]))
  return bucketStarts(range, 'day').map((day) => {
    const { plays = 0, watchMs = 0 } = byDay.get(day) ?? {}
    return { day, plays, watchMs }
  })
}

export const NOTHING: Counted = { plays: 0, watchMs: 0 }

export const totalOf = (days: readonly Counted[]): Counted =>
  days.reduce((sum, { plays, watchMs }) => ({ plays: sum.plays + plays, watchMs: sum.watchMs + watchMs }), NOTHING)

/** Returns the values of a dimension, the largest first; the sum of the others last. */
export function valuesIn(rows: readonly ValueRow[], dimension: ViewerDimension): CountedValue[] {
  const measure = dimension === 'quality' ? 'watchMs' : 'plays'
  const rank = ({ value }: CountedValue) => (value === OTHER ? 1 : 0)
  return rows
    .filter((row) => row.dimension === dimension && (row.plays > 0 || row.watchMs > 0))
    .sort((a, b) => rank(a) - rank(b) || b[measure] - a[measure] || (a.value < b.value ? -1 : 1))
}

/** Returns how many viewings reached each share of their video, in percent. */
export const reachedOf = (days: readonly DayRow[], { from }: DayRange): { share: number; viewings: number }[] =>
  REACHED_PARTS.map(({ share }, at) => ({
    share,
    viewings: days.reduce((sum, { day, reached }) => sum + (day >= from ? (reached[at] ?? 0) : 0), 0),
  }))
