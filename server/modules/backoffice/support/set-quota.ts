import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { keyStateOf } from '../../access/keys/state.ts'
import { setDailyQuota } from '../../access/quotas/set-daily-quota.ts'
import { record } from '../../audit/record.ts'
import { maySetQuotaAlone } from './alone.ts'
import { propose, type Waits } from './proposals.ts'
import { requireAccount } from './require-account.ts'
import type { SetQuotaInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Sets a key's playback tokens per UTC day (specification §8) from the next token on; null restores the tier's quota. Beyond the bounds of `maySetQuotaAlone` it becomes a proposal instead, which is returned. Errors: NOT_FOUND without such
 * a key or role; FORBIDDEN for one's own account; CONFLICT for a test key, whose quota is always the free one, for a revoked key, and when it
 * was set since it was `expected` (`details` has the current value).
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

/** Applies a proposed quota. Errors: those of `setQuota`. */
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
