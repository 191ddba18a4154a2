import { type AccountCtx, requirePermission } from '../../context.ts'
import { changedMeanwhile, ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { lockWallet } from '../identity/accounts/storage.ts'
import { inTransaction, type TransactionScope } from './apply-wallet-transaction.ts'
import { creditsText } from './price-schema.ts'
import type { KeyCapInput, LimitsInput, TierInput } from './schema.ts'

type Limits = Omit<LimitsInput, 'expected'>
const textOf = (micro: bigint | null) => (micro === null ? null : creditsText(micro))
const formatLimits = ({ lowBalanceThreshold, monthCap }: Limits) => ({
  lowBalanceThreshold: textOf(lowBalanceThreshold),
  monthCap: textOf(monthCap),
})
const same = (one: Limits, other: Limits) => one.lowBalanceThreshold === other.lowBalanceThreshold && one.monthCap === other.monthCap

/**
 * Sets the low-balance threshold (wallet.low_balance fires when the balance crosses it, not when you set it) and the account's spending cap
 * for a UTC month, starting with the next token. Null removes a limit. Errors: FORBIDDEN, CONFLICT if they differ from `expected`
 * (`details` has the current values).
 */
export async function setLimits(ctx: AccountCtx, { lowBalanceThreshold, monthCap, expected }: LimitsInput): Promise<void> {
  requirePermission(ctx, 'billing.change')
  await db().$transaction(async (tx) => {
    await lockWallet(tx, ctx.accountId)
    const before = await tx.wallet.findUniqueOrThrow({
      where: { accountId: ctx.accountId },
      select: { lowBalanceThreshold: true, monthCap: true },
    })
    if (same(before, { lowBalanceThreshold, monthCap })) return
    if (expected && !same(before, expected)) throw changedMeanwhile(formatLimits(before))
    await tx.wallet.update({ where: { accountId: ctx.accountId }, data: { lowBalanceThreshold, monthCap } })
    await record(tx, ctx, {
      action: 'billing.limits',
      subject: ctx.accountId,
      before: formatLimits(before),
      after: formatLimits({ lowBalanceThreshold, monthCap }),
    })
  })
}

/**
 * Sets the account's tier, starting with the next token. For owners, operators and support staff. Errors: FORBIDDEN, CONFLICT if the tier
 * differs from `expected`.
 */
export async function setTier(ctx: AccountCtx, { tier, reason, expected }: TierInput, within: TransactionScope = {}): Promise<void> {
  if (ctx.actor.kind !== 'operator' && ctx.actor.kind !== 'support') requirePermission(ctx, 'billing.change')
  await inTransaction(within, async (tx) => {
    const [before] = await tx.$queryRaw<[{ tier: 'FREE' | 'PAID' }]>`SELECT tier FROM account WHERE id = ${ctx.accountId} FOR NO KEY UPDATE`
    if (before.tier === tier) return
    if (expected && before.tier !== expected) throw changedMeanwhile({ tier: before.tier })
    await tx.account.update({ where: { id: ctx.accountId }, data: { tier } })
    await record(tx, ctx, {
      action: 'billing.tier',
      subject: ctx.accountId,
      before,
      after: reason === undefined ? { tier } : { tier, reason },
    })
  })
}

/**
 * Sets a key's spending cap for a UTC month, starting with the next token and including this month's spending. Null removes it. Keys of one
 * rotation share a cap. Errors: FORBIDDEN; NOT_FOUND for an unknown key; CONFLICT for a test key, which never pays, and if the cap differs
 * from `expected` (`details` has the current one).
 */
export async function setKeyCap(ctx: AccountCtx, { keyId, monthCap, expected }: KeyCapInput): Promise<void> {
  requirePermission(ctx, 'billing.change')
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    const key = await tx.apiKey.findFirst({ where: { id: keyId, accountId }, select: { environment: true, quotaGroup: true } })
    if (!key) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such key.' })
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
