import { record } from '../audit/record.ts'
import { type AccountCtx, demand } from '../context.ts'
import { db } from '../infra/db.ts'
import { lockWallet } from './post.ts'
import { creditsText, type LimitsInput } from './schema.ts'

const textOf = (micro: bigint | null) => (micro === null ? null : creditsText(micro))

/**
 * Sets below which balance an owner is told (wallet.low_balance fires on crossing it, not when it is set) and the most the account may
 * spend in a UTC month; null for neither. Both hold for the next token. Errors: FORBIDDEN.
 */
export async function setLimits(ctx: AccountCtx, { lowBalanceThreshold, monthCap }: LimitsInput): Promise<void> {
  demand(ctx, 'billing.change')
  await db().$transaction(async (tx) => {
    await lockWallet(tx, ctx.accountId)
    const before = await tx.wallet.findUniqueOrThrow({
      where: { accountId: ctx.accountId },
      select: { lowBalanceThreshold: true, monthCap: true },
    })
    await tx.wallet.update({ where: { accountId: ctx.accountId }, data: { lowBalanceThreshold, monthCap } })
    await record(tx, ctx, {
      action: 'billing.limits',
      subject: ctx.accountId,
      before: { lowBalanceThreshold: textOf(before.lowBalanceThreshold), monthCap: textOf(before.monthCap) },
      after: { lowBalanceThreshold: textOf(lowBalanceThreshold), monthCap: textOf(monthCap) },
    })
  })
}
