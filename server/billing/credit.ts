import { record } from '../audit/record.ts'
import { type AccountCtx, actorName } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { type Moved, moveCredit } from './move.ts'
import { type CreditInput, creditsText } from './schema.ts'

/**
 * Gives an account credit without a payment; for operators and support staff, with a reason that stands in the ledger.
 * Fires wallet.refilled. Errors: FORBIDDEN for anybody else.
 */
export async function giveCredit(ctx: AccountCtx, { credits, reason }: CreditInput): Promise<Moved> {
  if (ctx.actor.kind !== 'operator' && ctx.actor.kind !== 'support') throw new ServiceError('FORBIDDEN')
  return db().$transaction(async (tx) => {
    const actor = actorName(ctx.actor)
    const moved = (await moveCredit(tx, ctx.accountId, { kind: 'credit', amount: credits, actor, reason })) as Moved
    await record(tx, ctx, {
      action: 'billing.credit',
      subject: ctx.accountId,
      before: { balance: creditsText(moved.previousBalance) },
      after: { balance: creditsText(moved.balance), credits: creditsText(credits), reason },
    })
    return moved
  })
}
