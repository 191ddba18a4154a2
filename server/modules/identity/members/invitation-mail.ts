import { ROLES, type Role } from '../../../permissions.ts'
import type { Mail } from '../../../platform/mail.ts'

interface Invitation {
  to: string
  by: string
  account: string
  role: Role
  url: string
  expiresAt: Date
}

/** Returns the e-mail with an invitation's link. */
export function invitationMail({ to, by, account, role, url, expiresAt }: Invitation): Mail {
  // The inviter chooses the account's name, and the recipient does not know them: the name must not contain a link or a line break.
  const name = account
    .replace(/[\s\p{C}]+/gu, ' ')
    .replace(/[./:@]/g, ' ')
    .slice(0, 80)
  const until = `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const first = `${by} invited you to the account “${name}” on Reelgate as ${ROLES[role].title}.`
  const last = `The link works once, for ${to}, until ${until}. If you did not expect this invitation, ignore this email.`
  return {
    to,
    subject: `${by} invited you to ${name}`,
    text: `${first}\n\nAccept the invitation: ${url}\n\n${last}\n`,
  }
}
