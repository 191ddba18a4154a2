import { env } from '../../../platform/config/config.ts'
import { query } from '../../../platform/database/database.ts'
import { sendMail } from '../../../platform/mail.ts'
import { randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'

/** Maximum number of open links per user, so that requests cannot flood a mailbox. Each link is valid for one hour. */
const MAX_OPEN_LINKS = 3

const BEGIN = `
  INSERT INTO password_reset (hash, user_id, expires_at)
  SELECT $2, id, service_now() + interval '1 hour' FROM app_user
  WHERE email = $1 AND suspended_at IS NULL AND (SELECT count(*) FROM password_reset WHERE user_id = app_user.id AND expires_at > service_now()) < ${MAX_OPEN_LINKS}
  RETURNING user_id`

/**
 * Mails a password reset link if a user has this e-mail. Runs as the job `user.reset-mail`, so that neither the response nor its time
 * reveals whether a user exists. Throws when the mail server refuses it.
 */
export async function mailPasswordReset({ email }: { email: string }): Promise<void> {
  const token = randomBase62(32)
  const inserted = await query('password-reset-begin', BEGIN, [email, sha256(token)])
  if (inserted.length === 0) return
  if (await sendMail({ to: email, subject: 'Reset your Reelgate password', text: mailText(token) })) return
  await query('password-reset-unsent', 'DELETE FROM password_reset WHERE hash = $1', [sha256(token)])
  throw new Error('the mail server rejected a password reset email')
}

/** The token is in the URL fragment, which browsers do not send to servers. */
const mailText = (token: string) => `We received a request to reset the password of your Reelgate login.

Choose a new password within one hour:
${env().BASE_URL}/reset-password#${token}

If you did not request this, ignore this email. Your password stays unchanged.
`
