import { ServiceError } from '../../../errors.ts'
import type { Tx } from '../../../platform/database/database.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Throws FORBIDDEN (`details.reason` is `own-account`) when the staff member belongs to the account: members use the dashboard, and support
 * must have no interest in the account.
 */
export async function refuseOwnAccount(on: Pick<Tx, '$queryRaw'>, { staff }: StaffCtx, accountId: string): Promise<void> {
  const rows = await on.$queryRaw<unknown[]>`SELECT 1 FROM membership WHERE account_id = ${accountId} AND user_id = ${staff.userId}`
  if (rows.length > 0)
    throw new ServiceError('FORBIDDEN', {
      message: 'You are a member of this account. Use its dashboard. For changes that only support can make, ask another staff member.',
      details: { reason: 'own-account' },
    })
}
