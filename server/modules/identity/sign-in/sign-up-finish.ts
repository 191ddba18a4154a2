import { ServiceError } from '../../../errors.ts'
import { db, query } from '../../../platform/database/database.ts'
import { newId, sha256 } from '../../../platform/secrets/crypto.ts'
import { createAccount } from '../accounts/create-account.ts'
import type { ClientInfo } from './client-ip.ts'
import { refuseCommonPassword } from './common-password.ts'
import { markEmailVerified } from './email-verified.ts'
import { hashPassword } from './password-hash.ts'
import type { FinishSignUpInput } from './schema.ts'
import { requireSignUpAllowed } from './sign-up-policy.ts'
import { throttleReset } from './throttle.ts'

/**
 * Creates the account (tenant) and user of a mailed single-use link, with the given password. Returns the e-mail to sign in with. Errors:
 * NOT_FOUND for a link that was used or has expired, CONFLICT when a user with this e-mail exists by now, FORBIDDEN under `SIGN_UP`,
 * TOO_MANY_ATTEMPTS.
 */
export async function finishSignUp(visitor: ClientInfo, { token, password }: FinishSignUpInput): Promise<{ email: string }> {
  throttleReset(visitor.address)
  // Before the password is hashed, because hashing is expensive.
  const [open] = await query<{ email: string }>('sign-up-link-open', OPEN, [sha256(token)])
  if (!open) throw noSuchLink()
  await refuseCommonPassword(password, open.email)
  const passwordHash = await hashPassword(password)
  const userId = newId('usr')
  try {
    return await db().$transaction(async (tx) => {
      const [link] = await tx.$queryRaw<{ email: string }[]>`
        DELETE FROM sign_up_link WHERE hash = ${sha256(token)} AND expires_at > service_now() RETURNING email`
      if (!link) throw noSuchLink()
      const { email } = link
      requireSignUpAllowed('mail', email)
      await tx.user.create({ data: { id: userId, email, passwordHash } })
      await markEmailVerified(tx, userId)
      await tx.signUpLink.deleteMany({ where: { email } })
      await createAccount(tx, { userId, email })
      return { email }
    })
  } catch (error) {
    // The holder of the link reads this mailbox, so the response may reveal that the user exists.
    if ((error as { code?: string }).code !== 'P2002') throw error
    throw new ServiceError('CONFLICT', { message: 'You already have an account with this email address. Sign in.' })
  }
}

const OPEN = 'SELECT email FROM sign_up_link WHERE hash = $1 AND expires_at > service_now()'

const noSuchLink = () =>
  new ServiceError('NOT_FOUND', { message: 'This link was already used or has expired. Sign up again to get a new one.' })
