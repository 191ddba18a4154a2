import { IconBan } from '@tabler/icons-react'
import { RelativeTime } from '../../_ui/RelativeTime'
import classes from './SuspendedNotice.module.css'

/**
 * Shows on every page that the account is suspended, the reason, and whom to contact. `contact`: an e-mail address, the address of a page, or
 * other text.
 */
export function SuspendedNotice({ since, reason, contact }: { since: Date; reason: string; contact: string }) {
  return (
    <section className={classes.notice} aria-label="Account suspended">
      <IconBan size={18} />
      <div>
        <b>
          This account was suspended <RelativeTime date={since} />.
        </b>{' '}
        We refuse your API keys, and your videos do not play. You can still view everything here.
        <p className={classes.reason}>Reason: {reason}</p>
        Contact <Contact contact={contact} />.
      </div>
    </section>
  )
}

function Contact({ contact }: { contact: string }) {
  const href = /^https?:\/\//.test(contact) ? contact : /^[^\s@]+@[^\s@]+$/.test(contact) ? `mailto:${contact}` : undefined
  return href ? <a href={href}>{contact}</a> : contact
}
