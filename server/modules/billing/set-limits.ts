import { type AccountCtx, requirePermission } from '../../context.ts'
import { changedMeanwhile } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { lockWallet } from '../identity/accounts/lock-wallet.ts'
import { creditsText } from './price-schema.ts'
import type { LimitsInput } from './schema.ts'

type Limits = Omit<LimitsInput, 'expected'>
const textOf = (micro: bigint | null) => (micro === null ? null : creditsText(micro))
const formatLimits = ({ lowBalanceThreshold, monthCap }: Limits) => ({
  lowBalanceThreshold: textOf(lowBalanceThreshold),
  monthCap: textOf(monthCap),
})
const same = (one: Limits, other: Limits) => one.lowBalanceThreshold === other.lowBalanceThreshold && one.monthCap === other.monthCap

/**
 * Sets the low-balance threshold (wallet.low_balance fires on crossing it, not on setting it) and the account's spending cap for a UTC
 * month, from the next token on; null removes a limit. Errors: FORBIDDEN, CONFLICT when they differ from `expected` (`details` has the present
 * values).
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
