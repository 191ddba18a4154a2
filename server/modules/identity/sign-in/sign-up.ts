import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { isMailConfigured } from '../../../platform/mail.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { createAccount } from '../accounts/create-account.ts'
import type { ClientInfo } from './client-ip.ts'
import { refuseCommonPassword } from './common-password.ts'
import { hashPassword } from './password-hash.ts'
import type { SignUpInput } from './schema.ts'
import { requireSignUpAllowed } from './sign-up-policy.ts'
import { throttleSignUp } from './throttle.ts'

/**
 * Creates an account (tenant), named after the e-mail's local part, its user and owner membership in one transaction. Only without mail: no
 * e-mail is verified, and the response reveals a taken one. Throws CONFLICT (taken, or mail is configured: `beginSignUp`), FORBIDDEN under
 * `SIGN_UP`, TOO_MANY_ATTEMPTS per address.
 */
export async function signUp(visitor: ClientInfo, { email, password }: SignUpInput): Promise<{ userId: string; accountId: string }> {
  if (isMailConfigured())
    throw new ServiceError('CONFLICT', { message: 'Sign-up starts with a link sent by email. Request one with your email address.' })
  requireSignUpAllowed('password', email)
  throttleSignUp(visitor.address)
  await refuseCommonPassword(password, email)
  const passwordHash = await hashPassword(password)
  const userId = newId('usr')
  try {
    return await db().$transaction(async (tx) => {
      await tx.user.create({ data: { id: userId, email, passwordHash } })
      return { userId, accountId: await createAccount(tx, { userId, email }) }
    })
  } catch (error) {
    // The unique index decides instead of a prior read: of two concurrent sign-ups, one gets the e-mail.
    if ((error as { code?: string }).code !== 'P2002') throw error
    const message = 'An account with this email address already exists. Sign in, or use another email address.'
    throw new ServiceError('CONFLICT', { message, details: [{ in: 'body', path: 'email', message }] })
  }
}
