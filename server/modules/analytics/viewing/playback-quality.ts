import { query, type Runner } from '../../../platform/database/database.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import { quantile } from '../quantile.ts'
import { ALL_VIEWERS, MOST_VALUES, OTHER, type QualityDimension, REACHED_PARTS } from './viewer-limits.ts'
import type { Only } from './viewer-schema.ts'
import { STARTUP_BOUNDS } from './viewing-schema.ts'

/** How well videos started and played. */
export interface PlaybackFigures {
  /** Milliseconds from the play command to the first frame. Null without a play. */
  startupP50: number | null
  startupP95: number | null
  /** Share of the time spent waiting for data, 0 to 1. Null without watch time. */
  rebufferRatio: number | null
}

/** How well the videos of an account played, for all viewers or some. */
export interface PlaybackQuality extends PlaybackFigures {
  /** What the player showed in place of the video, in all. */
  errorCount: number
  /** Errors by what the player showed, most first. */
  errors: { kind: string; count: number }[]
}

/** Computes the figures from sums. `startup`: plays by start-up time, in the buckets of `STARTUP_BOUNDS`. */
export function playbackFigures(sums: { watchMs: number; rebufferMs: number; startup: readonly number[] }): PlaybackFigures {
  const all = sums.watchMs + sums.rebufferMs
  return {
    startupP50: whole(quantile(sums.startup, 0.5)),
    startupP95: whole(quantile(sums.startup, 0.95)),
    rebufferRatio: all > 0 ? sums.rebufferMs / all : null,
  }
}

const whole = (ms: number | null) => (ms === null ? null : Math.round(ms))

/** Counts of one day of an account. */
export interface QualityDay {
  /** `YYYY-MM-DD`, UTC. */
  day: string
  rebufferMs: number
  /** Plays by start-up time. */
  startup: number[]
  /** By kind. */
  errors: Record<string, number>
}

/** SQL: an array of the sums of each element, where an array has as many as `of`. To unnest the arrays would take ten times as long. */
export const elementSums = (column: string, of: readonly unknown[]) =>
  `ARRAY[${of.map((_, at) => `coalesce(sum(${column}[${at} + 1]), 0)::float8`).join(', ')}] AS ${column}`

/** SQL: plays by start-up time. */
export const STARTUP_SUMS = elementSums('startup', [...STARTUP_BOUNDS, 'unbounded'])

const DAYS = `
  SELECT to_char(day, 'YYYY-MM-DD') AS day, coalesce(sum(rebuffer_ms::float8) FILTER (WHERE ${ALL_VIEWERS}), 0) AS "rebufferMs",
    coalesce(jsonb_object_agg(value, plays) FILTER (WHERE dimension = 'error'), '{}') AS errors, ${STARTUP_SUMS}
  FROM account_viewer_day
  WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND (${ALL_VIEWERS} OR dimension = 'error')
  GROUP BY account_viewer_day.day`

/** Returns how well the videos of an account played on each day of a range. Days without a report are left out. */
export const qualityDays = (accountId: string, { from, to }: DayRange, on: Runner): Promise<QualityDay[]> =>
  query<QualityDay & Record<string, unknown>>('viewers-quality', DAYS, [accountId, from, to], on)

/** Sums days of an account. `watchMs`: all that was watched on them. */
export function qualityOf(days: readonly QualityDay[], watchMs: number) {
  const startup = new Array<number>(STARTUP_BOUNDS.length + 1).fill(0)
  const errors = new Map<string, number>()
  let rebufferMs = 0
  for (const day of days) {
    rebufferMs += day.rebufferMs
    for (const [at, plays] of day.startup.entries()) startup[at] = (startup[at] ?? 0) + plays
    for (const [kind, count] of Object.entries(day.errors)) errors.set(kind, (errors.get(kind) ?? 0) + count)
  }
  return {
    ...playbackFigures({ watchMs, rebufferMs, startup }),
    errorCount: [...errors.values()].reduce((sum, count) => sum + count, 0),
    errors: errorsOf(errors),
  }
}

/** Returns the kinds of errors that viewers saw, most first. */
export const errorsOf = (counts: Iterable<readonly [kind: string, count: number]>): PlaybackQuality['errors'] =>
  [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1))

/** Counts of the viewers with one value of a dimension. */
export interface QualityValue {
  value: string
  plays: number
  watchMs: number
  rebufferMs: number
  errors: number
  startup: number[]
  /** Viewings that reached each of `REACHED_PARTS`. */
  reached: number[]
}

const ARRAYS = `${STARTUP_SUMS}, ${elementSums('reached', REACHED_PARTS)}`

const summed = (where: string) => `
  SELECT value, coalesce(sum(plays), 0)::float8 AS plays, coalesce(sum(watch_ms::float8), 0) AS "watchMs",
    coalesce(sum(rebuffer_ms::float8), 0) AS "rebufferMs", coalesce(sum(errors), 0)::float8 AS errors, ${ARRAYS}
  FROM account_viewer_day WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND dimension = $4 ${where} GROUP BY value`

/** The same values have a row of their own as among the plays. */
const VALUES = `
  WITH summed AS MATERIALIZED (${summed('')})
  SELECT named AS value, sum(plays) AS plays, sum("watchMs") AS "watchMs", sum("rebufferMs") AS "rebufferMs",
    sum(errors) AS errors, ${ARRAYS}
  FROM (
    SELECT *, CASE WHEN row_number() OVER (ORDER BY plays DESC, "watchMs" DESC, value) > ${MOST_VALUES}
      THEN '${OTHER}' ELSE value END AS named
    FROM summed) AS ranked
  GROUP BY named`

/** Returns how well the videos of an account played by the values of a dimension: the most played first, the sum of the others last. */
export async function qualityValues(
  accountId: string,
  { from, to }: DayRange,
  dimension: QualityDimension,
  on: Runner,
): Promise<QualityValue[]> {
  const rows = await query<QualityValue & Record<string, unknown>>('viewers-quality-values', VALUES, [accountId, from, to, dimension], on)
  const rank = ({ value }: QualityValue) => (value === OTHER ? 1 : 0)
  return rows
    .filter(({ plays, watchMs, errors }) => plays > 0 || watchMs > 0 || errors > 0)
    .sort((a, b) => rank(a) - rank(b) || b.plays - a.plays || (a.value < b.value ? -1 : 1))
}

/** Returns how well the videos of an account played for the viewers with one value of a dimension. Undefined if there were none. */
export async function qualityOfSome(accountId: string, { from, to }: DayRange, only: Only, on: Runner): Promise<QualityValue | undefined> {
  const values = [accountId, from, to, only.dimension, only.value]
  const [row] = await query<QualityValue & Record<string, unknown>>('viewers-quality-some', summed('AND value = $5'), values, on)
  return row
}
