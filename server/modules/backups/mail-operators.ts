import { env } from '../../platform/config/config.ts'
import { query } from '../../platform/database/database.ts'
import { sendMail } from '../../platform/mail.ts'

/** Sends an e-mail to OPERATOR_EMAIL and to support staff, if mail is configured. A refused one is logged and not repeated. */
export async function mailOperators(subject: string, about: string): Promise<void> {
  const { OPERATOR_EMAIL, BASE_URL } = env()
  const staff = await query<{ email: string }>(
    'backup-staff',
    'SELECT u.email FROM staff_grant s JOIN app_user u ON u.id = s.user_id WHERE s.revoked_at IS NULL',
    [],
  )
  const recipients = new Set(staff.map(({ email }) => email))
  if (OPERATOR_EMAIL) recipients.add(OPERATOR_EMAIL.toLowerCase())
  const text = `${about}\n\nBackups: ${BASE_URL}/support/backups\n`
  await Promise.all([...recipients].map((to) => sendMail({ to, subject: `${subject} (Reelgate)`, text })))
}
