import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { asSupport } from './open-account.ts'
import { type StaffCtx, stillStaff } from './staff.ts'

/** The context for changing something of an account that is there; the change itself is what the audit log tells. Errors: NOT_FOUND. */
export async function existingAccount(staff: StaffCtx, accountId: string): Promise<AccountCtx> {
  await stillStaff(db(), staff)
  if ((await db().account.count({ where: { id: accountId } })) === 0) throw new ServiceError('NOT_FOUND')
  return asSupport(staff, accountId)
}
