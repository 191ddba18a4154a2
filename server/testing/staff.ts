import { type AccountCtx, requireUser } from '../context.ts'
import { grantStaff, revokeStaff } from '../modules/backoffice/support/staff.ts'
import { newTotp } from '../modules/identity/sign-in/totp.ts'
import type { StaffRole } from '../permissions.ts'
import { db } from '../platform/database/database.ts'

/** Sets up a second factor for the context's user. Returns its secret in base32. */
export async function giveSecondFactor(ctx: AccountCtx): Promise<string> {
  const { userId, email } = requireUser(ctx)
  const { sealed, secret } = newTotp(userId, email)
  await db().user.update({ where: { id: userId }, data: { totpSecret: sealed, totpConfirmedAt: new Date(), totpLastStep: null } })
  return secret
}

const COMMAND = { name: 'operator', email: null }

/** Makes a user support staff, as the command of the operator does. */
export const grantSupport = (input: { email: string; unverified?: boolean }) => grantStaff(COMMAND, { ...input, role: 'support' })
/** Ends a user's role of support staff, as the command of the operator does. */
export const revokeSupport = (input: { email: string }) => revokeStaff(COMMAND, { ...input, role: 'support' })

/** Makes the context's user support staff, or an operator, with a second factor, which their pages require. */
export async function makeStaff(ctx: AccountCtx, role: StaffRole = 'support'): Promise<void> {
  await grantStaff(COMMAND, { email: requireUser(ctx).email, unverified: true, role })
  await giveSecondFactor(ctx)
}
