import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { query } from '../../platform/database/database.ts'
import type { DayRange } from '../../platform/text/day-ranges.ts'
import { chainOf } from '../access/keys/end-key.ts'
import { quantile } from './quantile.ts'
import { bucketStarts, COUNTED, isUnfinished, rangeAsked, rangeBefore, unitOf } from './range.ts'
import { type KeyUsageInput, LATENCY_BOUNDS } from './schema.ts'

/** A key's use in one hour or UTC day. */
interface KeyUsagePoint {
  /** `2026-11-21` or `2026-11-21T14:00Z`. */
  at: string
  requests: number
  failed: number
  /** Playback tokens. */
  issued: number
  refused: number
  /** Milliseconds from request to response, as the server measured them. Null without a request. */
  p50: number | null
  p95: number | null
}

export interface KeyUsage {
  unit: 'hour' | 'day'
  /** Every hour or day that has started, oldest first. Zeros without a request. */
  points: KeyUsagePoint[]
  totals: Omit<KeyUsagePoint, 'at'>
  /** Whether the last point is not over yet. */
  unfinished: boolean
  /** The points of the equally long period before. Null if it is not known by the hour. */
  previous: KeyUsagePoint[] | null
  /** Most requests first. `operation` is an endpoint's `operationId`. */
  endpoints: { operation: string; requests: number; failed: number; p50: number | null; p95: number | null }[]
  /** Most requests first. */
  statuses: { status: number; requests: number }[]
  /** When and from where it was last used. Null before its first use. */
  lastUsed: { at: Date; address: string | null; userAgent: string | null } | null
}

interface Row {
  at: string
  operation: string
  status: number
  requests: number
  tokens: number
  latency: number[]
}

/**
 * Returns the traffic of one key and its rotation chain over a range of UTC days, and over the period before; by hour for short ranges.
 * Errors: NOT_FOUND, also for another account's key.
 */
export async function keyUsage(ctx: AccountCtx, { keyId, ...asked }: KeyUsageInput): Promise<KeyUsage> {
  const range = rangeAsked(asked)
  const before = rangeBefore(range)
  const unit = unitOf(range)
  const [lastUsed, { rows, quota, points }, previous] = await Promise.all([
    readLastUse(ctx, keyId),
    readPoints(ctx, keyId, range),
    unitOf(before) === unit ? readPoints(ctx, keyId, before) : null,
  ])
  const operations = grouped(rows, (row) => row.operation)
  const statuses = grouped(rows, (row) => String(row.status))
  return {
    unit,
    points,
    previous: previous?.points ?? null,
    unfinished: isUnfinished(range),
    totals: { ...summed(rows), ...quotaSum([...quota.values()]) },
    endpoints: [...operations]
      .map(([operation, its]) => {
        const { requests, failed, p50, p95 } = summed(its)
        return { operation, requests, failed, p50, p95 }
      })
      .sort(byRequests),
    statuses: [...statuses].map(([status, its]) => ({ status: Number(status), requests: summed(its).requests })).sort(byRequests),
    lastUsed,
  }
}

/** Reads the counters of a range, and returns them with its points. */
async function readPoints(ctx: AccountCtx, keyId: string, range: DayRange) {
  const unit = unitOf(range)
  const [rows, quota] = await Promise.all([
    query<Row>(`key-usage-${unit}`, `SELECT * FROM (${COUNTED[unit]}) AS counted WHERE key_id = ANY (${chainOf('$4', '$1')})`, [
      ctx.accountId,
      range.from,
      range.to,
      keyId,
    ]),
    readQuota(ctx, keyId, range),
  ])
  const held = grouped(rows, (row) => row.at)
  const points = bucketStarts(range, unit).map((at) => ({ at, ...summed(held.get(at) ?? []), ...(unit === 'day' && quota.get(at)) }))
  return { rows, quota, points }
}

const byRequests = (a: { requests: number }, b: { requests: number }) => b.requests - a.requests

function grouped(rows: Row[], of: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(of(row), [...(groups.get(of(row)) ?? []), row])
  return groups
}

function summed(rows: Row[]): Omit<KeyUsagePoint, 'at'> {
  const all = { requests: 0, failed: 0, issued: 0, refused: 0 }
  const latency = new Array<number>(LATENCY_BOUNDS.length + 1).fill(0)
  for (const { status, requests, tokens, latency: held } of rows) {
    all.requests += requests
    if (status >= 400) all.failed += requests
    if (status === 200) all.issued += tokens
    if (status === 429) all.refused += tokens
    for (const [at, count] of held.entries()) latency[at] = (latency[at] as number) + count
  }
  return { ...all, p50: quantile(latency, 0.5, LATENCY_BOUNDS), p95: quantile(latency, 0.95, LATENCY_BOUNDS) }
}

interface Quota {
  issued: number
  refused: number
}

const quotaSum = (days: Quota[]): Quota =>
  days.reduce((sum, { issued, refused }) => ({ issued: sum.issued + issued, refused: sum.refused + refused }), { issued: 0, refused: 0 })

/** Reads tokens by UTC day from the quota's counter, which loses none. The totals use it for both units. */
async function readQuota({ accountId }: AccountCtx, keyId: string, { from, to }: DayRange): Promise<Map<string, Quota>> {
  const rows = await query<Quota & { at: string }>(
    'key-usage-quota',
    `SELECT to_char(day, 'YYYY-MM-DD') AS at, sum(issued)::float8 AS issued, sum(refused)::float8 AS refused FROM key_day
     WHERE key_id = ANY (${chainOf('$2', '$1')}) AND day BETWEEN $3::date AND $4::date GROUP BY day`,
    [accountId, keyId, from, to],
  )
  return new Map(rows.map(({ at, issued, refused }) => [at, { issued, refused }]))
}

async function readLastUse({ accountId }: AccountCtx, keyId: string): Promise<KeyUsage['lastUsed']> {
  const [row] = await query<{ at: Date | null; address: string | null; userAgent: string | null }>(
    'key-last-use',
    `SELECT last_used_at AS at, last_address AS address, last_user_agent AS "userAgent" FROM api_key WHERE id = ANY (${chainOf('$1', '$2')})
     ORDER BY last_used_at DESC NULLS LAST LIMIT 1`,
    [keyId, accountId],
  )
  if (!row) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such key.' })
  return row.at && { at: row.at, address: row.address, userAgent: row.userAgent }
}

/** The successful requests of a key in the last hour. */
interface KeyLastHour {
  /** Successful requests in the last 60 minutes. An estimate if the request log holds a sample. */
  requests: number
  /** Playback tokens among them. */
  tokens: number
}

/** Returns a key's use in the last hour, for the confirmation before it is disabled. Errors: NOT_FOUND, also for another account's key. */
export async function keyLastHour(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<KeyLastHour> {
  const [row] = await query<KeyLastHour>(
    'key-last-hour',
    `SELECT COALESCE(round(sum(r.weight)), 0)::float8 AS requests,
       COALESCE(round(sum(r.weight) FILTER (WHERE r.operation = 'createPlaybackToken')), 0)::float8 AS tokens
     FROM api_key LEFT JOIN request_log r ON r.account_id = api_key.account_id AND r.key_id = api_key.id AND r.status < 400
       AND r.at > service_now() - interval '1 hour'
     WHERE api_key.id = $1 AND api_key.account_id = $2 GROUP BY api_key.id`,
    [keyId, ctx.accountId],
  )
  if (!row) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such key.' })
  return row
}
