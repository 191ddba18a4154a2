import { IconMenu2 } from '@tabler/icons-react'
import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { Link } from '../_ui/Link'
import { Mark } from '../_ui/Mark'
import { SkipLink } from '../_ui/page/SkipLink'
import classes from './_parts/Docs.module.css'
import { Nav } from './_parts/Nav'
import { NAV_ID, REFERENCE } from './_parts/pages'
import { SearchField } from './_parts/search/SearchField'

export const metadata: Metadata = { title: { default: 'Docs', template: '%s · Reelgate docs' } }

export default function DocsLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <header className={classes.header}>
        <div className={classes.bar}>
          <button type="button" className={classes.menu} popoverTarget={NAV_ID} aria-label="Open navigation">
            <IconMenu2 size={20} />
          </button>
          <Link href="/docs" className={classes.brand}>
            <Mark size={22} />
            <span className={classes.name}>Reelgate docs</span>
            <span className={classes.short}>Docs</span>
          </Link>
          <SearchField />
          <nav aria-label="More">
            <Link href={REFERENCE} className={classes.name}>
              API reference
            </Link>
            <a href="/">Dashboard</a>
          </nav>
        </div>
      </header>
      <div className={classes.frame}>
        <Nav />
        {children}
      </div>
    </>
  )
}
