import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import { type Reads, readLagging } from '../../platform/database/read-replica.ts'
import type { DayRange } from '../../platform/text/day-ranges.ts'
import { CHAIN } from '../access/keys/end-key.ts'
import { bucketStarts, COUNTED, isUnfinished, rangeAsked, rangeBefore, unitOf } from './range.ts'
import type { Split, UsageInput } from './schema.ts'
import { ALL_VIEWERS } from './viewing/viewer-limits.ts'

/** The requests of one hour or UTC day. */
export interface UsagePoint {
  /** `2026-11-21` or `2026-11-21T14:00Z`. */
  at: string
  requests: number
  /** Requests with an error response. */
  failed: number
  /** Playback tokens. */
  issued: number
  refused: number
}

/** The requests of one key, endpoint or status. */
export interface UsageSeries {
  /** Key ID (of a rotation chain, the newest), `operationId` or status. Empty for calls without a key. */
  name: string
  /** The key's name, else `name`. */
  label: string
  requests: number
  failed: number
  /** Requests at each point. */
  values: number[]
}

export interface Usage extends Counted, DayRange {
  /** Whether the last point is not over yet. */
  unfinished: boolean
  /** The equally long period before. Null if it is not known by the hour. */
  previous: Pick<Counted, 'points' | 'plays' | 'totals'> | null
}

/** A range's traffic. */
interface Counted {
  unit: 'hour' | 'day'
  /** Every hour or day of the range that has started, oldest first. Zeros without a request. */
  points: UsagePoint[]
  /** By day for both units, because plays are counted by day. */
  plays: { at: string; plays: number }[]
  /** Tokens come from the quota's counter for both units: it loses none, so that overlapping ranges are consistent. */
  totals: Omit<UsagePoint, 'at'> & { plays: number }
  /** Tokens in the totals that are in no hour: those of the last second, or lost by a killed process. 0 for the unit `day`. */
  unplaced: number
  /** Most requests first. Empty without `split`. */
  series: UsageSeries[]
}

interface CallRow {
  at: string
  name: string
  requests: number
  failed: number
}

interface TokenRow {
  at: string
  issued: number
  refused: number
}

/** Returns the account's traffic over a range of UTC days and over the period before, as `countUsage` does. */
export async function usage(ctx: AccountCtx, { split, ...asked }: UsageInput): Promise<Usage> {
  const range = rangeAsked(asked)
  const before = rangeBefore(range)
  const unit = unitOf(range)
  const [counted, previous] = await Promise.all([countUsage(ctx, range, split), unitOf(before) === unit ? countUsage(ctx, before) : null])
  return {
    ...range,
    ...counted,
    unfinished: isUnfinished(range),
    previous: previous && { points: previous.points, plays: previous.plays, totals: previous.totals },
  }
}

/**
 * Counts the account's traffic over a range of UTC days, including today so far. A replica may be a few seconds behind. Counts requests
 * with a known key or a token. Every page that shows an account's requests, tokens or plays shows these numbers.
 */
export async function countUsage(ctx: AccountCtx, range: DayRange, split?: Split, unit = unitOf(range)): Promise<Counted> {
  const [calls, tokens, quota, plays, keys] = await readLagging(({ on }) =>
    Promise.all([
      readCalls(ctx, range, unit, split, on),
      unit === 'hour' ? readHourlyTokens(ctx, range, on) : [],
      readQuota(ctx, range, on),
      readPlays(ctx, range, on),
      split === 'key' ? readKeyNames(ctx, on) : new Map<string, Named>(),
    ]),
  )
  const at = bucketStarts(range, unit)
  const index = new Map(at.map((moment, position) => [moment, position]))
  const points: UsagePoint[] = at.map((moment) => ({ at: moment, requests: 0, failed: 0, issued: 0, refused: 0 }))
  const series = new Map<string, UsageSeries>()
  for (const row of calls) {
    const position = index.get(row.at)
    const point = points[position ?? -1]
    if (position === undefined || !point) continue
    point.requests += row.requests
    point.failed += row.failed
    if (!split) continue
    const { name, label } = keys.get(row.name) ?? { name: row.name, label: row.name }
    const one = series.get(name) ?? {
      name,
      label,
      requests: 0,
      failed: 0,
      values: at.map(() => 0),
    }
    series.set(name, one)
    one.requests += row.requests
    one.failed += row.failed
    // Keys of one rotation chain are one series.
    one.values[position] = (one.values[position] ?? 0) + row.requests
  }
  for (const { at: moment, issued, refused } of unit === 'hour' ? tokens : quota)
    Object.assign(points[index.get(moment) ?? -1] ?? {}, { issued, refused })
  const issued = sum(quota, (day) => day.issued)
  return {
    unit,
    points,
    unplaced: Math.max(0, issued - sum(points, (point) => point.issued)),
    plays: bucketStarts(range, 'day').map((day) => ({ at: day, plays: plays.get(day) ?? 0 })),
    totals: {
      requests: sum(points, (point) => point.requests),
      failed: sum(points, (point) => point.failed),
      issued,
      refused: sum(quota, (day) => day.refused),
      plays: sum([...plays.values()], (count) => count),
    },
    series: [...series.values()].sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1)),
  }
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number) => items.reduce((total, item) => total + of(item), 0)

const COLUMN: Record<Split, string> = { key: 'key_id', endpoint: 'operation', status: 'status::text' }

function readCalls(
  { accountId }: AccountCtx,
  { from, to }: DayRange,
  unit: 'hour' | 'day',
  split: Split | undefined,
  on: Reads['on'],
): Promise<CallRow[]> {
  return query(
    `usage-calls-${unit}-${split ?? 'all'}`,
    `SELECT at, ${split ? COLUMN[split] : "''"} AS name, sum(requests)::float8 AS requests,
       coalesce(sum(requests) FILTER (WHERE status >= 400), 0)::float8 AS failed
     FROM (${COUNTED[unit]}) AS counted GROUP BY 1, 2`,
    [accountId, from, to],
    on,
  )
}

/** Reads tokens by hour from the traffic counters, of which a killed process loses a second. */
function readHourlyTokens({ accountId }: AccountCtx, { from, to }: DayRange, on: Reads['on']): Promise<TokenRow[]> {
  return query(
    'usage-tokens-hour',
    `SELECT at, coalesce(sum(tokens) FILTER (WHERE status = 200), 0)::float8 AS issued,
       coalesce(sum(tokens) FILTER (WHERE status = 429), 0)::float8 AS refused FROM (${COUNTED.hour}) AS counted GROUP BY 1`,
    [accountId, from, to],
    on,
  )
}

/** Reads tokens by UTC day from the quota's counter. */
function readQuota({ accountId }: AccountCtx, { from, to }: DayRange, on: Reads['on']): Promise<TokenRow[]> {
  return query(
    'usage-tokens-day',
    `SELECT to_char(day, 'YYYY-MM-DD') AS at, sum(issued)::float8 AS issued, sum(refused)::float8 AS refused
     FROM key_day JOIN api_key ON api_key.id = key_id WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date GROUP BY 1`,
    [accountId, from, to],
    on,
  )
}

async function readPlays({ accountId }: AccountCtx, { from, to }: DayRange, on: Reads['on']): Promise<Map<string, number>> {
  const rows = await query<{ at: string; plays: number }>(
    'usage-plays',
    `SELECT to_char(day, 'YYYY-MM-DD') AS at, sum(plays)::float8 AS plays FROM account_viewer_day
     WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND ${ALL_VIEWERS} GROUP BY 1`,
    [accountId, from, to],
    on,
  )
  return new Map(rows.map(({ at, plays }) => [at, plays]))
}

interface Named {
  name: string
  label: string
}

/** Returns each key's series: that of the newest key in its rotation chain. */
async function readKeyNames({ accountId }: AccountCtx, on: Reads['on']): Promise<Map<string, Named>> {
  const rows = await query<Named & { id: string }>(
    'usage-key-names',
    `SELECT k.id, first_value(k.id) OVER chain AS name, first_value(k.name) OVER chain AS label FROM api_key k WHERE k.account_id = $1
     WINDOW chain AS (PARTITION BY ${CHAIN} ORDER BY k.created_at DESC, k.id DESC)`,
    [accountId],
    on,
  )
  const none = { name: '', label: 'No key (token exchanges)' }
  return new Map([['', none], ...rows.map(({ id, name, label }) => [id, { name, label }] as const)])
}
