import { record } from '../audit/record.ts'
import { type AccountCtx, actorName } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { type Moved, moveCredit } from './move.ts'
import { type CorrectInput, creditsText } from './schema.ts'

/**
 * Puts a mistake right by an entry of its own; the ledger itself is never edited. For operators and support staff.
 * Errors: FORBIDDEN for anybody else, CONFLICT when more would be taken than is left.
 */
export async function correctBalance(ctx: AccountCtx, { credits, direction, reason }: CorrectInput): Promise<Moved> {
  if (ctx.actor.kind !== 'operator' && ctx.actor.kind !== 'support') throw new ServiceError('FORBIDDEN')
  const amount = direction === 'add' ? credits : -credits
  return db().$transaction(async (tx) => {
    const moved = await moveCredit(tx, ctx.accountId, { kind: 'correction', amount, actor: actorName(ctx.actor), reason })
    if (!moved) throw new ServiceError('CONFLICT', { message: 'The wallet holds less than that. A balance is never negative; take less.' })
    await record(tx, ctx, {
      action: 'billing.correct',
      subject: ctx.accountId,
      before: { balance: creditsText(moved.previousBalance) },
      after: { balance: creditsText(moved.balance), credits: creditsText(amount), reason },
    })
    return moved
  })
}
