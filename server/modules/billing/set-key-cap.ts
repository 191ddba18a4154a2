import { type AccountCtx, requirePermission } from '../../context.ts'
import { changedMeanwhile, ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { lockWallet } from '../identity/accounts/lock-wallet.ts'
import { creditsText } from './price-schema.ts'
import type { KeyCapInput } from './schema.ts'

/**
 * Sets a key's spending cap for a UTC month, from the next token on, with this month's spending included; null removes it. Keys of one
 * rotation share a cap. Errors: FORBIDDEN; NOT_FOUND for an unknown key; CONFLICT for a test key, which never pays, and when the cap
 * differs from `expected` (`details` has the present one).
 */
export async function setKeyCap(ctx: AccountCtx, { keyId, monthCap, expected }: KeyCapInput): Promise<void> {
  requirePermission(ctx, 'billing.change')
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    const key = await tx.apiKey.findFirst({ where: { id: keyId, accountId }, select: { environment: true, quotaGroup: true } })
    if (!key) throw new ServiceError('NOT_FOUND', { message: 'No such key exists in your account.' })
    if (key.environment === 'TEST') throw new ServiceError('CONFLICT', { message: 'Test keys are never charged. Choose a live key.' })
    const group = key.quotaGroup ?? keyId
    // The wallet's lock blocks charges, so the month's spending is exact.
    await lockWallet(tx, accountId)
    const before = await tx.keyCap.findUnique({ where: { keyId: group, accountId }, select: { monthCap: true } })
    const now = before?.monthCap ?? null
    if (now === monthCap) return
    if (expected && now !== expected.monthCap) throw changedMeanwhile({ monthCap: now === null ? null : creditsText(now) })
    if (monthCap === null) await tx.keyCap.deleteMany({ where: { keyId: group, accountId } })
    else
      await tx.$executeRaw`
        INSERT INTO key_cap (key_id, account_id, month_cap, month, month_spent)
        SELECT ${group}, ${accountId}, ${monthCap}, this.month, COALESCE(sum(h.cost), 0)
        FROM (SELECT GREATEST(date_trunc('month', service_now() AT TIME ZONE 'UTC')::date, w.month) AS month FROM wallet w WHERE w.account_id = ${accountId}) this
        LEFT JOIN charge_hour h ON h.key_id IN (SELECT k.id FROM api_key k WHERE k.id = ${keyId} OR k.quota_group = ${group}) AND h.hour >= this.month::timestamp AT TIME ZONE 'UTC'
        GROUP BY this.month
        ON CONFLICT (key_id) DO UPDATE SET month_cap = EXCLUDED.month_cap, month = EXCLUDED.month, month_spent = EXCLUDED.month_spent`
    await record(tx, ctx, {
      action: 'billing.key_cap',
      subject: keyId,
      before: { monthCap: before && creditsText(before.monthCap) },
      after: { monthCap: monthCap === null ? null : creditsText(monthCap) },
    })
  })
}
