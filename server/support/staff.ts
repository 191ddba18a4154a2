import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db, type Tx } from '../infra/db.ts'

/** A call of support staff; minted by `requireStaff` alone. */
export interface StaffCtx {
  staff: { readonly __brand: 'Staff'; readonly userId: string; readonly email: string }
  requestId: string
}

/**
 * Who is signed in, if they are support staff at this moment. Everybody else is told what they would be told of an address that
 * does not exist. Errors: NOT_FOUND.
 */
export async function requireStaff(session: AccountCtx | undefined, requestId: string): Promise<StaffCtx> {
  if (session?.actor.kind !== 'user') throw new ServiceError('NOT_FOUND')
  const { userId, email } = session.actor
  const ctx: StaffCtx = { staff: { userId, email } as StaffCtx['staff'], requestId }
  await stillStaff(db(), ctx)
  return ctx
}

/**
 * Throws NOT_FOUND unless the role holds now. In a transaction it goes on holding until that ends: taking the role away waits,
 * and what begins afterwards is refused.
 */
export async function stillStaff(on: Pick<Tx, '$queryRaw'>, { staff }: StaffCtx): Promise<void> {
  const rows = await on.$queryRaw<unknown[]>`SELECT 1 FROM staff_grant WHERE user_id = ${staff.userId} AND revoked_at IS NULL FOR SHARE`
  if (rows.length === 0) throw new ServiceError('NOT_FOUND')
}
