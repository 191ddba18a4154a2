import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config/config.ts'
import { serviceNow, serviceToday } from '../../platform/database/clock.ts'
import { type AskedRange, type DayRange, daysAsked, daysNamed } from '../../platform/text/day-ranges.ts'
import { NOT_IN_ORDER } from '../../platform/text/schema.ts'
import { HOURLY_DAYS, HOURS_KEPT_DAYS, MAX_DAYS } from './limits.ts'
import { daysOf } from './schema.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Returns the UTC day `ago` days before today by the database's clock, as `YYYY-MM-DD`. */
export const dayBefore = (ago: number) => new Date(serviceNow() - ago * DAY_MS).toISOString().slice(0, 10)

/** Returns the days of a range by the database's clock. Defaults to the last 30. */
export function rangeAsked(asked: AskedRange): DayRange {
  const today = serviceToday()
  const { from, to = today } = daysAsked(asked, today)
  return from ? { from, to } : daysNamed('30d', today)
}

/**
 * Returns the days that a request to the API asks for: up to today by default, and from `days` days including the last. Errors:
 * INVALID_REQUEST with the field, for days out of order, too many of them, or a first day that is no longer kept.
 */
export function periodAsked({ from, to }: { from?: string | undefined; to?: string | undefined }, days: number): DayRange {
  const today = serviceToday()
  const last = to ?? (from && from > today ? from : today)
  const range = { from: from ?? new Date(Date.parse(last) - (days - 1) * DAY_MS).toISOString().slice(0, 10), to: last }
  const refuse = (path: 'from' | 'to', message: string) =>
    new ServiceError('INVALID_REQUEST', { details: [{ in: 'query', path, message }] })
  if (range.from > range.to) throw refuse('to', NOT_IN_ORDER)
  if (daysOf(range) > MAX_DAYS) throw refuse('from', `Choose at most ${MAX_DAYS} days.`)
  const kept = keptSince(today)
  if (range.from < kept) throw refuse(from ? 'from' : 'to', `Counts are kept since ${kept}. Choose this day or a later one.`)
  return range
}

/** Returns the first day whose counts `pruneTraffic` certainly keeps. */
function keptSince(today: string): string {
  const months = env().TRAFFIC_RETENTION_MONTHS
  if (months === undefined) return '1970-01-01'
  const [year, month, day] = today.split('-').map(Number) as [number, number, number]
  // The last day of a month that is shorter, as PostgreSQL computes it.
  const lastDay = new Date(Date.UTC(year, month - months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 - months, Math.min(day, lastDay))).toISOString().slice(0, 10)
}

/** Returns the unit of a range: hours for up to `HOURLY_DAYS` days with hourly counters, else days. */
export const unitOf = (range: DayRange): 'hour' | 'day' =>
  daysOf(range) <= HOURLY_DAYS && range.from > dayBefore(HOURS_KEPT_DAYS) ? 'hour' : 'day'

/** Returns the equally long range that ends before `range` starts. */
export function rangeBefore(range: DayRange): DayRange {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return { from: dayOf(Date.parse(range.from) - daysOf(range) * DAY_MS), to: dayOf(Date.parse(range.from) - DAY_MS) }
}

/** Returns whether the last hour or day of a range is not over yet. */
export const isUnfinished = ({ to }: DayRange) => to >= dayBefore(0)

/** Returns when a range's hours or days start, without future ones: `2026-11-21`, `2026-11-21T14:00Z`. */
export function bucketStarts({ from, to }: DayRange, unit: 'hour' | 'day'): string[] {
  const step = unit === 'hour' ? HOUR_MS : DAY_MS
  const end = Math.min(Date.parse(to) + DAY_MS, serviceNow())
  const found: string[] = []
  for (let at = Date.parse(from); at < end; at += step)
    found.push(unit === 'hour' ? `${new Date(at).toISOString().slice(0, 13)}:00Z` : new Date(at).toISOString().slice(0, 10))
  return found
}

/** SQL: counters of account $1 from day $2 to day $3, with `at` in the format of `moments`. */
export const COUNTED = {
  hour: `SELECT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24":00Z"') AS at, key_id, operation, status, requests, tokens, latency FROM traffic_hour
    WHERE account_id = $1 AND hour >= $2::date::timestamp AT TIME ZONE 'UTC' AND hour < ($3::date + 1)::timestamp AT TIME ZONE 'UTC'`,
  day: `SELECT to_char(day, 'YYYY-MM-DD') AS at, key_id, operation, status, requests, tokens, latency FROM traffic_day
    WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date`,
} as const
