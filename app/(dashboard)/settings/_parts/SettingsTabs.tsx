import Link from 'next/link'
import classes from './SettingsTabs.module.css'

const TABS = [
  { href: '/settings', title: 'Account' },
  { href: '/settings/security', title: 'Security' },
] as const

/** What concerns everybody in the account, and what concerns oneself. */
export function SettingsTabs({ here }: { here: (typeof TABS)[number]['href'] }) {
  return (
    <nav aria-label="Settings" className={classes.tabs}>
      {TABS.map(({ href, title }) => (
        <Link key={href} href={href} className={classes.tab} aria-current={href === here ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  )
}
