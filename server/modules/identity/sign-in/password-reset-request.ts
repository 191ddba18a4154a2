import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { isMailConfigured } from '../../../platform/mail.ts'
import { type ClientInfo, siteOf } from './client-ip.ts'
import type { RequestResetInput } from './schema.ts'
import { throttleResetRequest } from './throttle.ts'

/**
 * Enqueues a password reset link by mail (server/modules/identity/sign-in/password-reset-mail.ts). Does not look up the user, so that response and work
 * are the same for every e-mail. Errors: SERVICE_UNAVAILABLE when this installation sends no mail, TOO_MANY_ATTEMPTS.
 */
export async function requestPasswordReset(visitor: ClientInfo, { email }: RequestResetInput): Promise<void> {
  if (!isMailConfigured())
    throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'Email is not configured on this installation. Contact its operator.' })
  throttleResetRequest(visitor.address)
  await db().$transaction((tx) => enqueue(tx, JOBS['user.reset-mail'], { email }, { group: siteOf(visitor) }))
}
