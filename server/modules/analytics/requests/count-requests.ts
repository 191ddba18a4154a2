import type { AccountCtx } from '../../../context.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { query } from '../../../platform/database/database.ts'
import { readLagging } from '../../../platform/database/read-replica.ts'
import { chainOf } from '../../access/keys/chain.ts'
import { LOG_DAYS, LOG_RANGES } from '../limits.ts'
import type { CountRequestsInput } from '../schema.ts'

export interface RequestCounts {
  /** The whole UTC hours that were counted: begin of the first, end of the last. */
  from: Date
  to: Date
  /** Number of requests with each status, ascending. */
  statuses: { status: number; requests: number }[]
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Counts the account's requests by status from the hourly counters, which are exact where the log is a sample: in all UTC hours that the
 * filter touches. Counts what `countUsage` counts.
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

/** Returns the whole hours that a range touches, within the time that the log is kept. */
function hoursOf({ range, from, to }: Pick<CountRequestsInput, 'range' | 'from' | 'to'>): { from: Date; to: Date } {
  const now = serviceNow()
  const kept = now - LOG_DAYS * 24 * HOUR_MS
  const first = range ? now - LOG_RANGES[range] * MINUTE_MS : Math.max(kept, from ? Date.parse(from) : kept)
  const end = range || !to ? now : Math.min(now, Date.parse(to))
  return { from: new Date(Math.floor(first / HOUR_MS) * HOUR_MS), to: new Date(Math.ceil(end / HOUR_MS) * HOUR_MS) }
}
