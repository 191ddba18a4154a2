import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { keyStateOf } from '../../access/keys/state.ts'
import { setDailyQuota } from '../../access/quotas/quota-requests.ts'
import { record } from '../../audit/record.ts'
import { propose, type Waits } from './approvals.ts'
import { recordViews } from './open-account.ts'
import { maySetQuotaAlone, requireAccount } from './require-account.ts'
import type { SetQuotaInput } from './schema.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/**
 * Sets a key's playback tokens per UTC day (specification §8) from the next token on; null restores the tier's quota. Beyond the bounds of
 * `maySetQuotaAlone` it proposes the quota instead, and returns the proposal. Errors: NOT_FOUND; FORBIDDEN for one's own account; CONFLICT for
 * a test key, a revoked key, and when the quota is no longer the one `expected` (`details` has the current value).
 */
export async function setQuota(staff: StaffCtx, input: SetQuotaInput): Promise<Waits | null> {
  const { accountId, keyId, dailyQuota, reason, expected } = input
  return db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    const alone = dailyQuota === null || (await maySetQuotaAlone(tx, { accountId, keyId, dailyQuota }))
    const key = await changeableKey(tx, ctx, keyId)
    if (key.dailyQuota === dailyQuota) return null
    if (expected !== undefined && key.dailyQuota !== expected) throw changedMeanwhile({ dailyQuota: key.dailyQuota })
    if (!alone) return propose(tx, ctx, staff, { kind: 'quota', keyId, keyName: key.name, dailyQuota, expected: key.dailyQuota }, reason)
    await storeQuota(tx, ctx, { keyId, dailyQuota, reason, before: key.dailyQuota })
    return null
  })
}

/** Applies a proposed quota. Errors: as `setQuota`. */
export async function applyQuota(
  tx: Tx,
  ctx: AccountCtx,
  { keyId, dailyQuota, reason, expected }: Omit<SetQuotaInput, 'accountId'>,
): Promise<void> {
  const key = await changeableKey(tx, ctx, keyId)
  if (key.dailyQuota !== expected) throw changedMeanwhile({ dailyQuota: key.dailyQuota })
  await storeQuota(tx, ctx, { keyId, dailyQuota, reason, before: key.dailyQuota })
}

/** Locks a key and returns it, if its quota can be set. */
async function changeableKey(tx: Tx, { accountId }: AccountCtx, keyId: string): Promise<{ name: string; dailyQuota: number | null }> {
  await tx.$queryRaw`SELECT 1 FROM api_key WHERE id = ${keyId} AND account_id = ${accountId} FOR UPDATE`
  const key = await tx.apiKey.findFirst({
    where: { id: keyId, accountId },
    select: { name: true, environment: true, dailyQuota: true, revokedAt: true, expiresAt: true, disabledAt: true },
  })
  if (!key) throw new ServiceError('NOT_FOUND', { message: 'No such key exists in this account.' })
  if (key.environment === 'TEST')
    throw new ServiceError('CONFLICT', { message: 'Test keys always have the free quota. Choose a live key of this account.' })
  if (keyStateOf(key, serviceNow()) === 'REVOKED') throw new ServiceError('CONFLICT', { message: 'This key was revoked.' })
  return key
}

type Stored = Pick<SetQuotaInput, 'keyId' | 'dailyQuota' | 'reason'> & { before: number | null }

async function storeQuota(tx: Tx, ctx: AccountCtx, { keyId, dailyQuota, reason, before }: Stored): Promise<void> {
  await setDailyQuota(tx, ctx.accountId, keyId, dailyQuota)
  await record(tx, ctx, { action: 'support.quota', subject: keyId, before: { dailyQuota: before }, after: { dailyQuota, reason } })
}

/** An open request for a higher daily quota. */
export interface OpenQuotaRequest {
  id: string
  accountId: string
  accountName: string
  keyId: string
  keyName: string
  keyPrefix: string
  /** Tokens per day. */
  requestedQuota: number
  /** The quota that support set; null where the tier's applies. */
  ownQuota: number | null
  reason: string
  /** The most tokens that the key issued on one of the last 30 UTC days. */
  busiestDay: number
  createdAt: Date
}

/**
 * Returns the 200 oldest open requests of all accounts, oldest first. Records the view in the audit log of each account.
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
