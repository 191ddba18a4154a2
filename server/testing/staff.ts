import { type AccountCtx, requireUser } from '../context.ts'
import { newTotp } from '../modules/auth/totp.ts'
import { grantSupport } from '../modules/support/staff-grants.ts'
import { db } from '../platform/database.ts'

/** Sets up a second factor for the context's user. Returns its secret in base32. */
export async function giveSecondFactor(ctx: AccountCtx): Promise<string> {
  const { userId, email } = requireUser(ctx)
  const { sealed, secret } = newTotp(userId, email)
  await db().user.update({ where: { id: userId }, data: { totpSecret: sealed, totpConfirmedAt: new Date(), totpLastStep: null } })
  return secret
}

/** Makes the context's user support staff with a second factor, which the support pages require. */
export async function makeStaff(ctx: AccountCtx): Promise<void> {
  await grantSupport({ email: requireUser(ctx).email, unverified: true })
  await giveSecondFactor(ctx)
}
