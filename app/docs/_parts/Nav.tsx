'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import classes from './Docs.module.css'
import { PAGES, REFERENCE } from './pages'

/** The guides beside the page; above it, in a row that scrolls, on a phone. */
export function Nav() {
  const path = usePathname()
  const nav = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current place is another one for another path
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
