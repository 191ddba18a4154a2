import { JOBS } from '../../../jobs.ts'
import { supportContact } from '../../../platform/config/support-contact.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { isMailConfigured } from '../../../platform/mail.ts'

export interface MailContent {
  /** One line. */
  subject: string
  text: string
}

/** Enqueues an email in the caller's transaction, if mail is configured. Adds the support contact as the last line. */
export async function enqueueMail(tx: Tx, to: string, { subject, text }: MailContent): Promise<void> {
  if (isMailConfigured())
    await enqueue(tx, JOBS['mail.send'], { to, subject, text: `${text}\n\nQuestions? Contact ${supportContact()}.\n` })
}

/** Enqueues an email to an account's owners. `mailFor` receives the account's name. */
export async function mailOwners(tx: Tx, accountId: string, mailFor: (name: string) => MailContent): Promise<void> {
  const owners = await tx.membership.findMany({
    where: { accountId, role: 'OWNER', user: { suspendedAt: null } },
    select: { user: { select: { email: true } }, account: { select: { name: true } } },
  })
  for (const { user, account } of owners) await enqueueMail(tx, user.email, mailFor(account.name.replace(/\s+/g, ' ')))
}
