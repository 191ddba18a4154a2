import { changedMeanwhile, ServiceError } from '../../errors.ts'
import { serviceNow } from '../../platform/clock.ts'
import { db } from '../../platform/database.ts'
import { keyStateOf } from '../api-keys/state.ts'
import { record } from '../audit/record.ts'
import { setDailyQuota } from '../quotas/set-daily-quota.ts'
import { requireAccount } from './require-account.ts'
import type { SetQuotaInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Sets a key's playback tokens per UTC day (specification §8: "can be requested from the operator") from the next token on; null restores
 * the tier's quota. Errors: NOT_FOUND without such a key or role; FORBIDDEN for one's own account; CONFLICT for a test key, whose quota is
 * always the free one, for a revoked key, and when it was set since it was `expected` (`details` has the current value).
 */
export async function setQuota(staff: StaffCtx, { accountId, keyId, dailyQuota, reason, expected }: SetQuotaInput): Promise<void> {
  await db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    await tx.$queryRaw`SELECT 1 FROM api_key WHERE id = ${keyId} AND account_id = ${accountId} FOR UPDATE`
    const key = await tx.apiKey.findFirst({
      where: { id: keyId, accountId },
      select: { environment: true, dailyQuota: true, revokedAt: true, expiresAt: true, disabledAt: true },
    })
    if (!key) throw new ServiceError('NOT_FOUND', { message: 'No such key exists in this account.' })
    if (key.environment === 'TEST')
      throw new ServiceError('CONFLICT', { message: 'Test keys always have the free quota. Choose a live key of this account.' })
    if (keyStateOf(key, serviceNow()) === 'REVOKED') throw new ServiceError('CONFLICT', { message: 'This key was revoked.' })
    if (key.dailyQuota === dailyQuota) return
    if (expected !== undefined && key.dailyQuota !== expected) throw changedMeanwhile({ dailyQuota: key.dailyQuota })
    await setDailyQuota(tx, ctx.accountId, keyId, dailyQuota)
    await record(tx, ctx, {
      action: 'support.quota',
      subject: keyId,
      before: { dailyQuota: key.dailyQuota },
      after: { dailyQuota, reason },
    })
  })
}
