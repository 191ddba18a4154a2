import { type AccountCtx, actorName, requireStaff } from '../../context.ts'
import { record } from '../audit/record.ts'
import { type AppliedTransaction, applyWalletTransaction } from './apply-wallet-transaction.ts'
import { creditsText } from './price-schema.ts'
import type { CreditInput } from './schema.ts'
import { inTransaction, type TransactionScope } from './transaction-scope.ts'

/**
 * Adds credit to an account without a payment; for operators and support staff, with a reason that is stored in the ledger.
 * Emits wallet.refilled. Errors: FORBIDDEN for other actors.
 */
export async function giveCredit(
  ctx: AccountCtx,
  { credits, reason }: CreditInput,
  within: TransactionScope = {},
): Promise<AppliedTransaction> {
  requireStaff(ctx)
  return inTransaction(within, async (tx) => {
    const actor = actorName(ctx.actor)
    const moved = (await applyWalletTransaction(tx, ctx.accountId, {
      kind: 'credit',
      amount: credits,
      actor,
      reason,
      reference: within.reference,
    })) as AppliedTransaction
    await record(tx, ctx, {
      action: 'billing.credit',
      subject: ctx.accountId,
      before: { balance: creditsText(moved.previousBalance) },
      after: { balance: creditsText(moved.balance), credits: creditsText(credits), reason },
    })
    return moved
  })
}
