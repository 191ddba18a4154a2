import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { isMailConfigured } from '../../../platform/mail.ts'
import { type ClientInfo, siteOf } from './client-ip.ts'
import type { BeginSignUpInput } from './schema.ts'
import { requireSignUpAllowed } from './sign-up-policy.ts'
import { throttleSignUp } from './throttle.ts'

/**
 * Enqueues the sign-up mail (sign-up-mail.ts): a link for a new user, or a notice that the account exists. Response and work are the same
 * in both cases. Errors: SERVICE_UNAVAILABLE when this installation sends no mail, FORBIDDEN under `SIGN_UP`, TOO_MANY_ATTEMPTS.
 */
export async function beginSignUp(visitor: ClientInfo, { email }: BeginSignUpInput): Promise<void> {
  if (!isMailConfigured())
    throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'Email is not configured on this installation. Sign up with a password.' })
  requireSignUpAllowed('mail', email)
  throttleSignUp(visitor.address)
  await db().$transaction((tx) => enqueue(tx, JOBS['account.sign-up-mail'], { email }, { group: siteOf(visitor) }))
}
