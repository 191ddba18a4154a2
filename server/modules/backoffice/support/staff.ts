import type { AccountCtx } from '../../../context.ts'
import { ServiceError, secondFactorMissing } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { db, type Tx } from '../../../platform/database/database.ts'

/** Context of a request by support staff; only `requireStaff` creates it. */
export interface StaffCtx {
  staff: { readonly __brand: 'Staff'; readonly userId: string; readonly email: string }
  requestId: string
}

/**
 * Returns the context of the signed-in user if they are support staff at this moment. Other users get the same error as for an
 * unknown URL. Errors: NOT_FOUND, FORBIDDEN (see `requireCurrentStaff`).
 */
export async function requireStaff(session: AccountCtx | undefined, requestId: string): Promise<StaffCtx> {
  if (session?.actor.kind !== 'user') throw new ServiceError('NOT_FOUND')
  const { userId, email } = session.actor
  const ctx: StaffCtx = { staff: { userId, email } as StaffCtx['staff'], requestId }
  await requireCurrentStaff(db(), ctx)
  return ctx
}

/**
 * Throws NOT_FOUND unless the role is valid now, and FORBIDDEN with `details.reason` `second-factor` while the user has none and
 * `STAFF_SECOND_FACTOR` requires one. In a transaction the role stays valid until the transaction ends: a revocation waits for it,
 * and later calls are refused.
 */
export async function requireCurrentStaff(on: Pick<Tx, '$queryRaw'>, { staff }: StaffCtx): Promise<void> {
  const [role] = await on.$queryRaw<{ secondFactor: boolean }[]>`
    SELECT u.totp_confirmed_at IS NOT NULL AS "secondFactor" FROM staff_grant g JOIN app_user u ON u.id = g.user_id
    WHERE g.user_id = ${staff.userId} AND g.revoked_at IS NULL FOR SHARE OF g`
  if (!role) throw new ServiceError('NOT_FOUND')
  if (env().STAFF_SECOND_FACTOR === 'required' && !role.secondFactor) throw secondFactorMissing('Support staff')
}
