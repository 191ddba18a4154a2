import { db, query } from '../../../platform/database/database.ts'
import { recordViews } from './open-account.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** A request for a higher daily quota that awaits a decision. */
export interface OpenQuotaRequest {
  id: string
  accountId: string
  accountName: string
  keyId: string
  keyName: string
  keyPrefix: string
  /** Tokens per day. */
  requestedQuota: number
  /** The key's quota set by an operator or support; null where the tier's applies. */
  ownQuota: number | null
  reason: string
  /** Most tokens the key issued on one of the last 30 UTC days. */
  busiestDay: number
  createdAt: Date
}

/**
 * Returns the requests of all accounts that await a decision, the oldest first; at most 200. Records the view in the audit log of
 * each account.
 */
export async function openQuotaRequests(staff: StaffCtx): Promise<OpenQuotaRequest[]> {
  await requireCurrentStaff(db(), staff)
  const open = await query<OpenQuotaRequest>('open-quota-requests', OPEN, [])
  await recordViews(
    staff,
    open.map(({ accountId }) => accountId),
    'quota requests',
  )
  return open
}

const OPEN = `
  SELECT r.id, r.account_id AS "accountId", a.name AS "accountName", r.key_id AS "keyId", k.name AS "keyName", k.prefix AS "keyPrefix", r.requested_quota AS "requestedQuota",
    k.daily_quota AS "ownQuota", r.reason, r.created_at AS "createdAt",
    (SELECT coalesce(max(issued), 0) FROM key_day d WHERE d.key_id = r.key_id AND d.day > (service_now() AT TIME ZONE 'UTC')::date - 30) AS "busiestDay"
  FROM quota_request r JOIN account a ON a.id = r.account_id JOIN api_key k ON k.id = r.key_id
  WHERE r.status = 'OPEN' ORDER BY r.created_at, r.id LIMIT 200`
