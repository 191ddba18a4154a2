import { type AccountCtx, actorName, requireStaff } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { record } from '../audit/record.ts'
import { type AppliedTransaction, applyWalletTransaction } from './apply-wallet-transaction.ts'
import { creditsText } from './price-schema.ts'
import type { CorrectInput } from './schema.ts'
import { inTransaction, type TransactionScope } from './transaction-scope.ts'

/**
 * Corrects the balance with a separate ledger entry; entries are never edited. For operators and support staff.
 * Errors: FORBIDDEN for other actors, CONFLICT when the amount exceeds the balance.
 */
export async function correctBalance(
  ctx: AccountCtx,
  { credits, direction, reason }: CorrectInput,
  within: TransactionScope = {},
): Promise<AppliedTransaction> {
  requireStaff(ctx)
  const amount = direction === 'add' ? credits : -credits
  return inTransaction(within, async (tx) => {
    const movement = { kind: 'correction', amount, actor: actorName(ctx.actor), reason, reference: within.reference } as const
    const moved = await applyWalletTransaction(tx, ctx.accountId, movement)
    if (!moved)
      throw new ServiceError('CONFLICT', {
        message: 'The balance is lower than this amount and cannot become negative. Enter a smaller amount.',
      })
    await record(tx, ctx, {
      action: 'billing.correct',
      subject: ctx.accountId,
      before: { balance: creditsText(moved.previousBalance) },
      after: { balance: creditsText(moved.balance), credits: creditsText(amount), reason },
    })
    return moved
  })
}
