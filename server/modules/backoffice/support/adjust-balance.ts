import { db, type Tx } from '../../../platform/database/database.ts'
import { correctBalance } from '../../billing/correct.ts'
import { giveCredit } from '../../billing/credit.ts'
import { creditsText } from '../../billing/price-schema.ts'
import { lockWallet } from '../../identity/accounts/lock-wallet.ts'
import { soloCredits } from './alone.ts'
import { propose, type Waits } from './proposals.ts'
import { requireAccount } from './require-account.ts'
import type { AdjustBalanceInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Result of an adjustment: the remaining credits, or the proposal that awaits another member of staff. */
export type Adjusted = { balance: string } | { waits: Waits }

/**
 * Adds credit to an account, or takes back credit given by mistake, for a stated reason. Above SUPPORT_SECOND_APPROVAL_CREDITS, counting
 * changes that support made without approval in the last 24 hours, it becomes a proposal instead. Errors: NOT_FOUND; FORBIDDEN for one's
 * own account; CONFLICT when more would be taken than is left.
 */
export async function adjustBalance(staff: StaffCtx, { accountId, direction, credits, reason }: AdjustBalanceInput): Promise<Adjusted> {
  return db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    // Serializes concurrent adjustments, so that the second one counts the first.
    await lockWallet(tx, accountId)
    if ((await movedWithoutApproval(tx, accountId)) + credits > soloCredits())
      return { waits: await propose(tx, ctx, staff, { kind: 'balance', credits: direction === 'give' ? credits : -credits }, reason) }
    const moved =
      direction === 'give'
        ? await giveCredit(ctx, { credits, reason }, { on: tx })
        : await correctBalance(ctx, { credits, direction: 'take', reason }, { on: tx })
    return { balance: creditsText(moved.balance) }
  })
}

/**
 * Returns the micro-credits that support moved on the account in the last 24 hours, in either direction. Approved changes have a
 * reference and are excluded.
 */
async function movedWithoutApproval(tx: Tx, accountId: string): Promise<bigint> {
  const [row] = await tx.$queryRaw<[{ moved: bigint }]>`
    SELECT coalesce(sum(amount), 0)::bigint AS moved FROM ledger_entry
    WHERE account_id = ${accountId} AND at > service_clock() - interval '24 hours' AND actor LIKE 'support:%' AND reference IS NULL`
  return row.moved
}
