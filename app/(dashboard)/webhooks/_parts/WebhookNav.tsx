import Link from 'next/link'
import classes from './WebhookNav.module.css'

const PLACES = [
  { name: 'endpoints', href: '/webhooks', title: 'Endpoints' },
  { name: 'events', href: '/webhooks/events', title: 'Events' },
] as const

/** The two pages of webhooks: where events go, and what happened. */
export function WebhookNav({ here }: { here: (typeof PLACES)[number]['name'] }) {
  return (
    <nav className={classes.nav} aria-label="Webhooks">
      {PLACES.map(({ name, href, title }) => (
        <Link key={name} href={href} className={classes.place} aria-current={name === here ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  )
}
