import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { Link } from '../_ui/Link'
import { Mark } from '../_ui/Mark'
import { SkipLink } from '../_ui/SkipLink'
import classes from './_parts/Docs.module.css'
import { Nav } from './_parts/Nav'
import { REFERENCE } from './_parts/pages'

export const metadata: Metadata = { title: { default: 'Docs', template: '%s · Reelgate docs' } }

export default function DocsLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <header className={classes.header}>
        <Link href="/docs" className={classes.brand}>
          <Mark size={22} />
          Reelgate docs
        </Link>
        <nav aria-label="More">
          <a href={REFERENCE}>Reference</a>
          <a href="/">Dashboard</a>
        </nav>
      </header>
      <div className={classes.frame}>
        <Nav />
        {children}
      </div>
    </>
  )
}
