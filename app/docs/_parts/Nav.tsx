'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { Link } from '../../_ui/Link'
import classes from './Docs.module.css'
import { PAGES, REFERENCE } from './pages'

/** Lists the guides next to the page; on a phone above it, in a row that scrolls. */
export function Nav() {
  const path = usePathname()
  const nav = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current place changes with the path
  useEffect(() => {
    const row = nav.current
    const here = row?.querySelector<HTMLElement>('[aria-current]')
    if (row && here) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.clientWidth) / 2
  }, [path])
  return (
    <nav ref={nav} className={classes.nav} aria-label="Guides">
      {PAGES.map(({ href, title }) => (
        <Link key={href} href={href} className={classes.place} aria-current={path === href ? 'page' : undefined}>
          {title}
        </Link>
      ))}
      <a href={REFERENCE} className={classes.place}>
        API reference
      </a>
    </nav>
  )
}
