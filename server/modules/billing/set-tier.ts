import { type AccountCtx, requirePermission } from '../../context.ts'
import { changedMeanwhile } from '../../errors.ts'
import { record } from '../audit/record.ts'
import type { TierInput } from './schema.ts'
import { inTransaction, type TransactionScope } from './transaction-scope.ts'

/**
 * Sets the account's tier from the next token on. For owners, operators and support staff.
 * Errors: FORBIDDEN, CONFLICT when the tier differs from `expected`.
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
