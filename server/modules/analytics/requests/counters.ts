import type { AccountCtx } from '../../../context.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { query } from '../../../platform/database/database.ts'
import { readLagging } from '../../../platform/database/read-replica.ts'
import { chainOf } from '../../access/keys/end-key.ts'
import { LOG_DAYS, LOG_RANGES } from '../limits.ts'
import { type CountRequestsInput, LATENCY_BOUNDS } from '../schema.ts'

/** Requests of one key (or account) to one endpoint with one status. */
interface Cell {
  requests: number
  /** Units of quota issued (200) or refused (429). */
  tokens: number
  latency: number[]
}

/** Returns the value of `name`, created on first use. */
export function getOrCreate<Name, Value>(map: Map<Name, Value>, name: Name, make: () => Value): Value {
  const held = map.get(name)
  if (held !== undefined) return held
  const made = make()
  map.set(name, made)
  return made
}

/** Returns the index of the bucket for a duration in milliseconds. */
function latencyBucket(ms: number): number {
  const at = Math.ceil(2 * Math.log2(ms / (LATENCY_BOUNDS[0] as number)))
  return at < 0 ? 0 : Math.min(at, LATENCY_BOUNDS.length)
}

/** One caller's counters since the last write: a key's or, for token exchanges, an account's or one of its videos'. */
export class Counters {
  readonly accountId: string | undefined
  readonly keyId: string
  readonly videoId: string | undefined
  requests = 0
  /** By `performance.now()`. */
  lastAt = 0
  address: string | undefined
  userAgent: string | undefined
  readonly cells = new Map<string, Map<number, Cell>>()

  constructor(accountId: string | undefined, keyId: string, videoId?: string) {
    this.accountId = accountId
    this.keyId = keyId
    this.videoId = videoId
  }

  count(operation: string, status: number, ms: number, now: number): void {
    this.requests++
    this.lastAt = now
    const cell = this.cell(operation, status)
    cell.requests++
    const bucket = latencyBucket(ms)
    cell.latency[bucket] = (cell.latency[bucket] as number) + 1
  }

  cell(operation: string, status: number): Cell {
    const byStatus = getOrCreate(this.cells, operation, () => new Map<number, Cell>())
    return getOrCreate(byStatus, status, () => ({ requests: 0, tokens: 0, latency: new Array<number>(LATENCY_BOUNDS.length + 1).fill(0) }))
  }

  add(other: Counters): void {
    this.requests += other.requests
    for (const [operation, byStatus] of other.cells)
      for (const [status, { requests, tokens, latency }] of byStatus) {
        const cell = this.cell(operation, status)
        cell.requests += requests
        cell.tokens += tokens
        for (const [at, count] of latency.entries()) cell.latency[at] = (cell.latency[at] as number) + count
      }
  }
}

interface RequestCounts {
  /** The whole UTC hours counted: start of the first, end of the last. */
  from: Date
  to: Date
  /** Number of requests with each status, ascending. */
  statuses: { status: number; requests: number }[]
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Counts the account's requests by status from the hourly counters, which are exact where the log is a sample: in all UTC hours that the
 * filter touches. Counts the same as `countUsage`.
 */
export async function countRequests(ctx: AccountCtx, { keyId, operation, ...asked }: CountRequestsInput): Promise<RequestCounts> {
  const { from, to } = hoursOf(asked)
  const statuses = await readLagging(({ on }) =>
    query<RequestCounts['statuses'][number]>(
      'count-requests',
      `SELECT status, sum(requests)::float8 AS requests FROM traffic_hour
       WHERE account_id = $1 AND hour >= $2 AND hour < $3 AND ($4::text IS NULL OR key_id = ANY (${chainOf('$4', '$1')})) AND ($5::text IS NULL OR operation = $5)
       GROUP BY 1 HAVING sum(requests) > 0 ORDER BY 1`,
      [ctx.accountId, from, to, keyId ?? null, operation ?? null],
      on,
    ),
  )
  return { from, to, statuses }
}

/** Returns the whole hours that a range touches, as far back as the log is kept. */
function hoursOf({ range, from, to }: Pick<CountRequestsInput, 'range' | 'from' | 'to'>): { from: Date; to: Date } {
  const now = serviceNow()
  const kept = now - LOG_DAYS * 24 * HOUR_MS
  const first = range ? now - LOG_RANGES[range] * MINUTE_MS : Math.max(kept, from ? Date.parse(from) : kept)
  const end = range || !to ? now : Math.min(now, Date.parse(to))
  return { from: new Date(Math.floor(first / HOUR_MS) * HOUR_MS), to: new Date(Math.ceil(end / HOUR_MS) * HOUR_MS) }
}
