import { db, pool, query } from '../../../platform/database/database.ts'
import { type Reads, readLagging } from '../../../platform/database/read-replica.ts'
import { alphabetical } from '../../../platform/database/text-sql.ts'
import { lastRefresh, refreshAccountActivity } from './refresh-account-activity.ts'
import type { AccountActivityInput, ActivitySort } from './schema.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** Accounts per page. */
export const PAGE_SIZE = 50

/** One account in the requested range of UTC days. */
export interface AccountActivity {
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

export interface AccountActivityPage {
  accounts: AccountActivity[]
  /** Totals of all accounts over the same days. */
  totals: Omit<AccountActivity, 'accountId' | 'name' | 'tier'> & { accounts: number }
  /** When the sums were computed. */
  asOf: Date
  /** Whether the sums are older than a minute and being computed again. */
  isStale: boolean
  /** Videos that wait for a worker and that are being transcoded; `oldestSec` is the longest wait. */
  queue: { waiting: number; running: number; oldestSec: number | null }
  /** Webhook deliveries that are due and that wait to retry; `oldestSec` is the longest time since one was due. */
  deliveries: { waiting: number; later: number; oldestSec: number | null }
}

/**
 * Returns a page of all accounts, sorted by one figure, largest first (names ascending). Reads computed sums, on a replica some seconds late.
 */
export async function listAccountActivity(staff: StaffCtx, { days, sort, page }: AccountActivityInput): Promise<AccountActivityPage> {
  await requireCurrentStaff(db(), staff)
  const state = await refreshAccountActivity()
  const read = ({ on }: Pick<Reads, 'on'>) =>
    Promise.all([
      lastRefresh(on),
      query<AccountActivity>(`account-activity-${days}-${sort}`, pageOf(days, sort), [PAGE_SIZE, page * PAGE_SIZE], on),
      query<AccountActivityPage['totals']>(`account-activity-totals-${days}`, totalsOf(days), [], on),
      query<AccountActivityPage['queue']>('account-activity-queue', QUEUE, [], on),
      query<AccountActivityPage['deliveries']>('account-activity-deliveries', DELIVERIES, [], on),
    ])
  let found = await readLagging(read)
  // The replica has not received the very first sums.
  if (!found[0]) found = await read({ on: pool() })
  const [refreshed, accounts, [totals], [queue], [deliveries]] = found
  return {
    accounts,
    totals: totals as AccountActivityPage['totals'],
    asOf: refreshed?.at ?? state.asOf,
    isStale: state.isStale,
    queue: queue as AccountActivityPage['queue'],
    deliveries: deliveries as AccountActivityPage['deliveries'],
  }
}

const ORDER: Record<ActivitySort, (days: number) => string> = {
  requests: (days) => `activity.requests_${days} DESC`,
  issued: (days) => `activity.issued_${days} DESC`,
  refused: (days) => `activity.refused_${days} DESC`,
  failed: (days) => `activity.failed_${days} DESC`,
  storage: () => 'activity.stored DESC',
  name: () => alphabetical('a.name'),
}

const pageOf = (days: number, sort: ActivitySort) => `
  SELECT a.id AS "accountId", a.name, a.tier, activity.requests_${days}::float8 AS requests, activity.issued_${days}::float8 AS issued,
    activity.refused_${days}::float8 AS refused, activity.failed_${days}::float8 AS failed, activity.stored::float8 AS "storedBytes"
  FROM account_activity AS activity JOIN account a ON a.id = activity.account_id ORDER BY ${ORDER[sort](days)}, a.id LIMIT $1 OFFSET $2`

const totalsOf = (days: number) => `
  SELECT count(*)::float8 AS accounts, coalesce(sum(requests_${days}), 0)::float8 AS requests, coalesce(sum(issued_${days}), 0)::float8 AS issued,
    coalesce(sum(refused_${days}), 0)::float8 AS refused, coalesce(sum(failed_${days}), 0)::float8 AS failed, coalesce(sum(stored), 0)::float8 AS "storedBytes"
  FROM account_activity`

const QUEUE = `
  SELECT count(*) FILTER (WHERE status = 'PENDING')::float8 AS waiting, count(*) FILTER (WHERE status = 'PROCESSING')::float8 AS running,
    extract(epoch FROM service_now() - min(created_at) FILTER (WHERE status = 'PENDING'))::float8 AS "oldestSec"
  FROM video WHERE status IN ('PENDING', 'PROCESSING') AND deleted_at IS NULL`

const DELIVERIES = `
  SELECT count(*) FILTER (WHERE due_at <= service_now())::float8 AS waiting, count(*) FILTER (WHERE due_at > service_now())::float8 AS later,
    extract(epoch FROM service_now() - min(due_at) FILTER (WHERE due_at <= service_now()))::float8 AS "oldestSec"
  FROM webhook_queue`
