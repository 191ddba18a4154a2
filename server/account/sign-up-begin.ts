import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { mailIsSet } from '../infra/mail.ts'
import { enqueue } from '../infra/queue.ts'
import { JOBS } from '../jobs.ts'
import type { BeginSignUpInput } from './schema.ts'
import { demandSignUp } from './sign-up-policy.ts'
import { throttleSignUp } from './throttle.ts'
import type { Visitor } from './visitor.ts'

/**
 * Asks for an account: what comes of it is mailed (server/account/sign-up-mail.ts), a link to somebody new and word of their account to somebody who has
 * one. Answers the same after the same work for everybody. Errors: SERVICE_UNAVAILABLE when this installation sends no mail, FORBIDDEN under `SIGN_UP`, TOO_MANY_ATTEMPTS.
 */
export async function beginSignUp(visitor: Visitor, { email }: BeginSignUpInput): Promise<void> {
  if (!mailIsSet()) throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'This installation sends no mail. Sign up with a password.' })
  demandSignUp('mail', email)
  throttleSignUp(visitor.address)
  await db().$transaction((tx) => enqueue(tx, JOBS['account.sign-up-mail'], { email }))
}
