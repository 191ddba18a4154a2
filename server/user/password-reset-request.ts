import { throttleResetRequest } from '../account/throttle.ts'
import type { Visitor } from '../account/visitor.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { mailIsSet } from '../infra/mail.ts'
import { enqueue } from '../infra/queue.ts'
import { JOBS } from '../jobs.ts'
import type { RequestResetInput } from './schema.ts'

/**
 * Asks for a link for choosing a new password, to be mailed (server/user/password-reset-mail.ts). Whether there is such a person is not looked
 * at here, so everybody is answered the same after the same work. Errors: SERVICE_UNAVAILABLE when this installation sends no mail,
 * TOO_MANY_ATTEMPTS.
 */
export async function requestPasswordReset(visitor: Visitor, { email }: RequestResetInput): Promise<void> {
  if (!mailIsSet()) throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'This installation sends no mail. Ask who runs it.' })
  throttleResetRequest(visitor.address)
  await db().$transaction((tx) => enqueue(tx, JOBS['user.reset-mail'], { email }))
}
