import type { AccountCtx } from '../context.ts'
import { personOf } from '../modules/accounts/person.ts'
import { newTotp } from '../modules/auth/totp.ts'
import { grantSupport } from '../modules/support/staff-grants.ts'
import { db } from '../platform/database.ts'

/** Sets up a second factor for the context's user. Returns its secret in base32. */
export async function giveSecondFactor(ctx: AccountCtx): Promise<string> {
  const { userId, email } = personOf(ctx)
  const { sealed, secret } = newTotp(userId, email)
  await db().user.update({ where: { id: userId }, data: { totpSecret: sealed, totpSince: new Date(), totpLastStep: null } })
  return secret
}

/** Makes the context's user support staff with a second factor, which the support pages require. */
export async function makeStaff(ctx: AccountCtx): Promise<void> {
  await grantSupport({ email: personOf(ctx).email, unproven: true })
  await giveSecondFactor(ctx)
}
