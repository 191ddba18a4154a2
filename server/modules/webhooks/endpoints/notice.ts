import type { AccountId } from '../../../context.ts'
import { env } from '../../../platform/config/config.ts'
import { db } from '../../../platform/database/database.ts'
import { isMailConfigured, sendMail } from '../../../platform/mail.ts'
import { DISABLED_REASONS, type DisabledReason } from './state.ts'

/** Sends owners and developers an e-mail about a disabled endpoint, if mail is configured. The dashboard shows it in any case. */
export async function notifyEndpointDisabled(
  { accountId, url }: { accountId: AccountId; url: string },
  reason: DisabledReason,
): Promise<void> {
  if (!isMailConfigured()) return
  const members = await db().membership.findMany({
    where: { accountId, role: { in: ['OWNER', 'DEVELOPER'] } },
    select: { user: { select: { email: true } } },
  })
  const text = [
    `Events are no longer sent to ${url}`,
    '',
    DISABLED_REASONS[reason],
    '',
    'After you fix the receiver, enable the endpoint under Webhooks in the dashboard. You can also replay failed and missed deliveries there.',
    `${env().BASE_URL}/webhooks`,
  ].join('\n')
  for (const { user } of members) await sendMail({ to: user.email, subject: 'A webhook endpoint was disabled', text })
}
