import { throttleResetRequest } from '../account/throttle.ts'
import type { Visitor } from '../account/visitor.ts'
import { ServiceError } from '../errors.ts'
import { randomBase62, sha256 } from '../infra/crypto.ts'
import { query } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { mailIsSet, sendMail } from '../infra/mail.ts'
import type { RequestResetInput } from './schema.ts'

/** Links that can be open for one person at a time, so that nobody fills another's mailbox. Each works for an hour. */
const MOST = 3

const BEGIN = `
  INSERT INTO password_reset (hash, user_id, expires_at)
  SELECT $2, id, service_now() + interval '1 hour' FROM app_user
  WHERE email = $1 AND (SELECT count(*) FROM password_reset WHERE user_id = app_user.id AND expires_at > service_now()) < ${MOST}
  RETURNING user_id`

/**
 * Mails somebody a link for choosing a new password. Answers the same, after the same work, whether or not there is such a person.
 * Errors: SERVICE_UNAVAILABLE when this installation sends no mail, TOO_MANY_ATTEMPTS.
 */
export async function requestPasswordReset(visitor: Visitor, { email }: RequestResetInput): Promise<void> {
  if (!mailIsSet()) throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'This installation sends no mail. Ask who runs it.' })
  throttleResetRequest(visitor.address)
  const token = randomBase62(32)
  const made = await query('password-reset-begin', BEGIN, [email, sha256(token)])
  // Not waited for: how long a mail takes would tell that there was one.
  if (made.length > 0) void sendMail({ to: email, subject: 'Choose a new password for Reelgate', text: letter(token) })
}

/** The secret stands after the #, which browsers send to nobody. */
const letter = (token: string) => `Somebody, hopefully you, asked for a new password.

Choose it here within the hour:
${env().BASE_URL}/reset-password#${token}

If it was not you, do nothing: your password stays as it is.
`
