import { db, pool, query } from '../../platform/database.ts'
import { type Reads, readLagging } from '../../platform/read-replica.ts'
import { lastRefresh, refreshFleet } from './fleet-refresh.ts'
import type { FleetInput, FleetSort } from './schema.ts'
import { type StaffCtx, stillStaff } from './staff.ts'

/** Accounts per page. */
export const FLEET_PAGE = 50

/** One account in the requested range of UTC days. */
export interface FleetAccount {
  accountId: string
  name: string
  tier: 'FREE' | 'PAID'
  requests: number
  issued: number
  refused: number
  /** Failed transcodings. */
  failed: number
  storedBytes: number
}

export interface Fleet {
  accounts: FleetAccount[]
  /** Totals of all accounts over the same days. */
  totals: Omit<FleetAccount, 'accountId' | 'name' | 'tier'> & { accounts: number }
  /** When the sums were computed. */
  asOf: Date
  /** The sums are older than a minute and being refreshed; the client should reload soon. */
  isStale: boolean
  /** Videos waiting for a worker and being transcoded, now; `oldestSec` is the longest waiting time. */
  queue: { waiting: number; running: number; oldestSec: number | null }
  /** Webhook deliveries due now and those scheduled for a later attempt; `oldestSec` is the longest time since due. */
  deliveries: { waiting: number; later: number; oldestSec: number | null }
}

/**
 * Returns a page of the fleet, sorted by one figure, largest first (names ascending). Reads the precomputed sums; a replica may be some
 * seconds behind.
 */
export async function fleet(staff: StaffCtx, { days, sort, page }: FleetInput): Promise<Fleet> {
  await stillStaff(db(), staff)
  const state = await refreshFleet()
  const read = ({ on }: Pick<Reads, 'on'>) =>
    Promise.all([
      lastRefresh(on),
      query<FleetAccount>(`fleet-${days}-${sort}`, pageOf(days, sort), [FLEET_PAGE, page * FLEET_PAGE], on),
      query<Fleet['totals']>(`fleet-totals-${days}`, totalsOf(days), [], on),
      query<Fleet['queue']>('fleet-queue', QUEUE, [], on),
      query<Fleet['deliveries']>('fleet-deliveries', DELIVERIES, [], on),
    ])
  let found = await readLagging(read)
  // The replica has not received the very first sums.
  if (!found[0]) found = await read({ on: pool() })
  const [refreshed, accounts, [totals], [queue], [deliveries]] = found
  return {
    accounts,
    totals: totals as Fleet['totals'],
    asOf: refreshed?.at ?? state.asOf,
    isStale: state.isStale,
    queue: queue as Fleet['queue'],
    deliveries: deliveries as Fleet['deliveries'],
  }
}

const ORDER: Record<FleetSort, (days: number) => string> = {
  requests: (days) => `f.requests_${days} DESC`,
  issued: (days) => `f.issued_${days} DESC`,
  refused: (days) => `f.refused_${days} DESC`,
  failed: (days) => `f.failed_${days} DESC`,
  storage: () => 'f.stored DESC',
  name: () => 'lower(a.name)',
}

const pageOf = (days: number, sort: FleetSort) => `
  SELECT a.id AS "accountId", a.name, a.tier, f.requests_${days}::float8 AS requests, f.issued_${days}::float8 AS issued,
    f.refused_${days}::float8 AS refused, f.failed_${days}::float8 AS failed, f.stored::float8 AS "storedBytes"
  FROM fleet_account f JOIN account a ON a.id = f.account_id ORDER BY ${ORDER[sort](days)}, a.id LIMIT $1 OFFSET $2`

const totalsOf = (days: number) => `
  SELECT count(*)::float8 AS accounts, coalesce(sum(requests_${days}), 0)::float8 AS requests, coalesce(sum(issued_${days}), 0)::float8 AS issued,
    coalesce(sum(refused_${days}), 0)::float8 AS refused, coalesce(sum(failed_${days}), 0)::float8 AS failed, coalesce(sum(stored), 0)::float8 AS "storedBytes"
  FROM fleet_account`

const QUEUE = `
  SELECT count(*) FILTER (WHERE status = 'PENDING')::float8 AS waiting, count(*) FILTER (WHERE status = 'PROCESSING')::float8 AS running,
    extract(epoch FROM service_now() - min(created_at) FILTER (WHERE status = 'PENDING'))::float8 AS "oldestSec"
  FROM video WHERE status IN ('PENDING', 'PROCESSING') AND deleted_at IS NULL`

const DELIVERIES = `
  SELECT count(*) FILTER (WHERE due_at <= service_now())::float8 AS waiting, count(*) FILTER (WHERE due_at > service_now())::float8 AS later,
    extract(epoch FROM service_now() - min(due_at) FILTER (WHERE due_at <= service_now()))::float8 AS "oldestSec"
  FROM webhook_queue`
