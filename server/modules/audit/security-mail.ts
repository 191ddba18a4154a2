import { env } from '../../platform/config/config.ts'
import { query } from '../../platform/database/database.ts'
import { isMailConfigured, type Mail, sendMail } from '../../platform/mail.ts'
import { deviceOf } from '../../platform/network/user-agent.ts'
import { mailTemplateOf } from '../../security-events.ts'

interface Notice {
  id: string
  email: string
  event: string
  at: Date
  address: string | null
  user_agent: string | null
  attempts: number | null
}

/** Leases an email by marking it as sent: if the worker is killed, the email is lost rather than sent twice. */
const LEASE = `
  UPDATE security_notice n SET sent_at = service_now() FROM app_user u
  WHERE u.id = n.user_id AND n.id = (SELECT id FROM security_notice WHERE sent_at IS NULL AND at > service_now() - interval '1 day' AND id > $1
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING n.id::text, u.email, n.event, n.at, n.address, n.user_agent, n.attempts`

/**
 * Emails users the security notices that `prepareSecurityNotice` stored. The next run retries those that the mail server refuses, for a
 * day. Runs each minute as the job `security.mail`. Returns how many it sent.
 */
export async function mailSecurityNotices(signal?: AbortSignal): Promise<number> {
  await query('security-notice-sweep', `DELETE FROM security_notice WHERE at < service_now() - interval '1 day'`, [])
  if (!isMailConfigured()) return 0
  let sent = 0
  for (let after = '0'; ; ) {
    signal?.throwIfAborted()
    const [notice] = await query<Notice>('security-notice-lease', LEASE, [after])
    if (!notice) return sent
    after = notice.id
    const mail = mailOf(notice)
    if (!mail || (await sendMail(mail))) sent += mail ? 1 : 0
    else await query('security-notice-unsent', 'UPDATE security_notice SET sent_at = NULL WHERE id = $1', [notice.id])
  }
}

/** Undefined for a newer version's event that this version does not know. */
function mailOf({ email, event, at, address, user_agent, attempts }: Notice): Mail | undefined {
  const template = mailTemplateOf(event)
  if (!template) return undefined
  const device = user_agent ? deviceOf(user_agent).device : undefined
  const facts = [
    `When: ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    ...(attempts ? [`Attempts: at least ${attempts} within an hour`] : []),
    ...(device || address ? [`From: ${[device, address].filter(Boolean).join(', ')}`] : []),
  ]
  const text = `${template.text}\n\n${facts.join('\n')}\n\n${template.advice}\n\nSecurity settings: ${env().BASE_URL}/settings/security\n`
  return { to: email, subject: `${template.subject} (Reelgate)`, text }
}
