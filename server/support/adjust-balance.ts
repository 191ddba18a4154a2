import { correctBalance } from '../billing/correct.ts'
import { giveCredit } from '../billing/credit.ts'
import { creditsText } from '../billing/schema.ts'
import { existingAccount } from './existing-account.ts'
import type { AdjustBalanceInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Gives an account credit, or takes what was given by mistake, for a stated reason. Answers the credits left.
 * Errors: NOT_FOUND; CONFLICT when more would be taken than is left.
 */
export async function adjustBalance(staff: StaffCtx, { accountId, direction, credits, reason }: AdjustBalanceInput): Promise<string> {
  const ctx = await existingAccount(staff, accountId)
  const moved =
    direction === 'give' ? await giveCredit(ctx, { credits, reason }) : await correctBalance(ctx, { credits, direction: 'take', reason })
  return creditsText(moved.balance)
}
