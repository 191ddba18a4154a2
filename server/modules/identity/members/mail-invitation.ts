import type { Role } from '../../../permissions.ts'
import { env } from '../../../platform/config/config.ts'
import { query } from '../../../platform/database/database.ts'
import { sendMail } from '../../../platform/mail.ts'
import { randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'
import { invitationMail } from './invitation-mail.ts'
import { TOKEN_LENGTH } from './member-schema.ts'

/* A new token for each attempt, so that none is stored in readable form between attempts. */
const ATTEMPT = `
  UPDATE invitation i SET token_hash = $2, mail_attempts = mail_attempts + 1 FROM account a
  WHERE i.id = $1 AND a.id = i.account_id AND i.by_mail AND i.ended_at IS NULL AND i.mailed_at IS NULL AND i.expires_at > service_now()
  RETURNING i.email, i.role, i.invited_by_email AS by, i.expires_at AS "expiresAt", a.name AS account`
const SENT = 'UPDATE invitation SET mailed_at = service_now() WHERE id = $1 AND token_hash = $2'

/** Returns the URL of an invitation's page. The token is in the URL fragment, which browsers do not send to servers. */
export const invitationUrl = (token: string) => `${env().BASE_URL}/join#${token}`

/**
 * Mails an invitation's link to the invited e-mail, unless it was sent, accepted, withdrawn or has expired. Runs as the job
 * `team.invitation-mail`. Throws when the mail server refuses it, so that the job is retried.
 */
export async function mailInvitation({ invitationId }: { invitationId: string }): Promise<void> {
  const token = randomBase62(TOKEN_LENGTH)
  const hash = Buffer.from(sha256(token))
  const [row] = await query<{ email: string; role: Role; by: string; expiresAt: Date; account: string }>('invitation-try', ATTEMPT, [
    invitationId,
    hash,
  ])
  if (!row) return
  const { email: to, ...rest } = row
  if (!(await sendMail(invitationMail({ to, ...rest, url: invitationUrl(token) }))))
    throw new Error('the mail server rejected an invitation email')
  await query('invitation-sent', SENT, [invitationId, hash])
}
