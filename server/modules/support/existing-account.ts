import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database.ts'
import { asSupport } from './open-account.ts'
import { type StaffCtx, stillStaff } from './staff.ts'

/**
 * Returns the context for changing an existing account; the audit log records the change, not the access. In a transaction (`on`)
 * the role stays valid until the transaction ends. Errors: NOT_FOUND; FORBIDDEN for an account the member of staff belongs to.
 */
export async function existingAccount(
  staff: StaffCtx,
  accountId: string,
  on: Pick<Tx, '$queryRaw' | 'account'> = db(),
): Promise<AccountCtx> {
  await stillStaff(on, staff)
  if ((await on.account.count({ where: { id: accountId } })) === 0) throw new ServiceError('NOT_FOUND')
  await refuseOwnAccount(on, staff, accountId)
  return asSupport(staff, accountId)
}

/**
 * Throws FORBIDDEN (`details.reason` is `own-account`) when the member of staff belongs to the account: as a member they use the
 * dashboard, and support measures require staff without an interest in the account.
 */
export async function refuseOwnAccount(on: Pick<Tx, '$queryRaw'>, { staff }: StaffCtx, accountId: string): Promise<void> {
  const rows = await on.$queryRaw<unknown[]>`SELECT 1 FROM membership WHERE account_id = ${accountId} AND user_id = ${staff.userId}`
  if (rows.length > 0)
    throw new ServiceError('FORBIDDEN', {
      message:
        'You belong to this account. Open it in your own dashboard; another member of staff makes changes that only support can make.',
      details: { reason: 'own-account' },
    })
}
