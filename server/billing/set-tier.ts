import { record } from '../audit/record.ts'
import { type AccountCtx, demand } from '../context.ts'
import { db } from '../infra/db.ts'
import type { TierInput } from './schema.ts'

/**
 * Puts the account on a tier; it holds for the next token. For an owner, who pays, and for operators and support staff.
 * Errors: FORBIDDEN.
 */
export async function setTier(ctx: AccountCtx, { tier, reason }: TierInput): Promise<void> {
  if (ctx.actor.kind !== 'operator' && ctx.actor.kind !== 'support') demand(ctx, 'billing.change')
  await db().$transaction(async (tx) => {
    const changed = await tx.account.updateMany({ where: { id: ctx.accountId, tier: { not: tier } }, data: { tier } })
    if (changed.count === 0) return
    const before = { tier: tier === 'PAID' ? 'FREE' : 'PAID' }
    await record(tx, ctx, {
      action: 'billing.tier',
      subject: ctx.accountId,
      before,
      after: reason === undefined ? { tier } : { tier, reason },
    })
  })
}
