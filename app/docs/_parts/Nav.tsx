'use client'

import { IconX } from '@tabler/icons-react'
import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { Link } from '../../_ui/Link'
import classes from './Docs.module.css'
import { GROUPS, NAV_ID } from './pages'

/** Lists the pages of the docs at the left of the page; on a phone in a drawer. */
export function Nav() {
  const path = usePathname()
  const nav = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current page changes with the path
  useEffect(() => {
    const list = nav.current
    if (list?.matches(':popover-open')) list.hidePopover()
    const here = list?.querySelector<HTMLElement>('[aria-current]')
    if (list && here && here.offsetTop + here.clientHeight > list.clientHeight) list.scrollTop = here.offsetTop - list.clientHeight / 2
  }, [path])
  return (
    <nav ref={nav} id={NAV_ID} popover="auto" className={classes.nav} aria-label="Docs">
      <button type="button" className={classes.close} popoverTarget={NAV_ID} popoverTargetAction="hide" aria-label="Close navigation">
        <IconX size={18} />
      </button>
      {GROUPS.map(({ title, pages }) => (
        <div key={title} className={classes.group}>
          <p id={groupId(title)}>{title}</p>
          <ul aria-labelledby={groupId(title)}>
            {pages.map((page) => (
              <li key={page.href}>
                <Link href={page.href} className={classes.place} aria-current={path === page.href ? 'page' : undefined}>
                  {page.title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

const groupId = (title: string) => `docs-group-${title.toLowerCase().replace(/\W+/g, '-')}`
