import { type AccountCtx, requirePermission } from '../../context.ts'
import { changedMeanwhile } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { lockWallet } from '../accounts/lock-wallet.ts'
import { record } from '../audit/record.ts'
import { creditsText } from '../pricing/schema.ts'
import type { LimitsInput } from './schema.ts'

type Limits = Omit<LimitsInput, 'seen'>
const textOf = (micro: bigint | null) => (micro === null ? null : creditsText(micro))
const inWords = ({ lowBalanceThreshold, monthCap }: Limits) => ({
  lowBalanceThreshold: textOf(lowBalanceThreshold),
  monthCap: textOf(monthCap),
})
const same = (one: Limits, other: Limits) => one.lowBalanceThreshold === other.lowBalanceThreshold && one.monthCap === other.monthCap

/**
 * Sets below which balance an owner is told (wallet.low_balance fires on crossing it, not when it is set) and the most the account may
 * spend in a UTC month; null for neither. Both hold for the next token. Errors: FORBIDDEN, CONFLICT when somebody changed them since they were
 * `seen` (`details` has them as they are now).
 */
export async function setLimits(ctx: AccountCtx, { lowBalanceThreshold, monthCap, seen }: LimitsInput): Promise<void> {
  requirePermission(ctx, 'billing.change')
  await db().$transaction(async (tx) => {
    await lockWallet(tx, ctx.accountId)
    const before = await tx.wallet.findUniqueOrThrow({
      where: { accountId: ctx.accountId },
      select: { lowBalanceThreshold: true, monthCap: true },
    })
    if (same(before, { lowBalanceThreshold, monthCap })) return
    if (seen && !same(before, seen)) throw changedMeanwhile(inWords(before))
    await tx.wallet.update({ where: { accountId: ctx.accountId }, data: { lowBalanceThreshold, monthCap } })
    await record(tx, ctx, {
      action: 'billing.limits',
      subject: ctx.accountId,
      before: inWords(before),
      after: inWords({ lowBalanceThreshold, monthCap }),
    })
  })
}
