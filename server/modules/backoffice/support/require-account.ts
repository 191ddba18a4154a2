import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { supportContext } from './open-account.ts'
import { refuseOwnAccount } from './refuse-own.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/**
 * Returns the context for changing an existing account; the audit log records the change, not the access. In a transaction (`on`)
 * the role stays valid until the transaction ends. Errors: NOT_FOUND; FORBIDDEN for an account the member of staff belongs to.
 */
export async function requireAccount(
  staff: StaffCtx,
  accountId: string,
  on: Pick<Tx, '$queryRaw' | 'account'> = db(),
): Promise<AccountCtx> {
  await requireCurrentStaff(on, staff)
  if ((await on.account.count({ where: { id: accountId, deletedAt: null } })) === 0)
    throw new ServiceError('NOT_FOUND', { message: 'No such account exists.' })
  await refuseOwnAccount(on, staff, accountId)
  return supportContext(staff, accountId)
}
