import type { AccountCtx } from '../../context.ts'
import { ServiceError, secondFactorMissing } from '../../errors.ts'
import { env } from '../../platform/config.ts'
import { db, type Tx } from '../../platform/database.ts'

/** A call of support staff; minted by `requireStaff` alone. */
export interface StaffCtx {
  staff: { readonly __brand: 'Staff'; readonly userId: string; readonly email: string }
  requestId: string
}

/**
 * Who is signed in, if they are support staff at this moment. Everybody else is told what they would be told of an address that
 * does not exist. Errors: NOT_FOUND, FORBIDDEN (see `stillStaff`).
 */
export async function requireStaff(session: AccountCtx | undefined, requestId: string): Promise<StaffCtx> {
  if (session?.actor.kind !== 'user') throw new ServiceError('NOT_FOUND')
  const { userId, email } = session.actor
  const ctx: StaffCtx = { staff: { userId, email } as StaffCtx['staff'], requestId }
  await stillStaff(db(), ctx)
  return ctx
}

/**
 * Throws NOT_FOUND unless the role holds now, and FORBIDDEN with `details.reason` `second-factor` while the person has none and
 * `STAFF_SECOND_FACTOR` requires one. In a transaction the role goes on holding until that ends: taking it away waits,
 * and what begins afterwards is refused.
 */
export async function stillStaff(on: Pick<Tx, '$queryRaw'>, { staff }: StaffCtx): Promise<void> {
  const [role] = await on.$queryRaw<{ secondFactor: boolean }[]>`
    SELECT u.totp_since IS NOT NULL AS "secondFactor" FROM staff_grant g JOIN app_user u ON u.id = g.user_id
    WHERE g.user_id = ${staff.userId} AND g.revoked_at IS NULL FOR SHARE OF g`
  if (!role) throw new ServiceError('NOT_FOUND')
  if (env().STAFF_SECOND_FACTOR === 'required' && !role.secondFactor) throw secondFactorMissing('Support staff')
}
