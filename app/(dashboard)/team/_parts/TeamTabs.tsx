'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import classes from './TeamTabs.module.css'

const TABS = [
  { href: '/team', title: 'Members' },
  { href: '/team/audit-log', title: 'Audit log' },
]

/** The two pages about people: who they are, and what they did. */
export function TeamTabs() {
  const path = usePathname()
  return (
    <nav aria-label="Team" className={classes.tabs}>
      {TABS.map(({ href, title }) => (
        <Link key={href} href={href} className={classes.tab} aria-current={path === href ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  )
}
