'use client'

import { ActionIcon, Menu } from '@mantine/core'
import { IconArrowLeft, IconArrowRight, IconUserCircle } from '@tabler/icons-react'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'
import { DisplayMenu } from '../../_ui/DisplayMenu'
import { Link } from '../../_ui/Link'
import { Mark } from '../../_ui/Mark'
import { SkipLink } from '../../_ui/page/SkipLink'
import classes from './StaffShell.module.css'

interface Props {
  email: string
  /** Which pages these are: `title` is in the badge after the name. */
  area: 'support' | 'operator'
  title: string
  /** `below`: the pages below this address are of the place too. */
  places: readonly { href: string; title: string; below?: string }[]
  /** Other pages of staff, in the menu. */
  links?: readonly { href: string; title: string }[]
  children: ReactNode
}

/** Renders a distinct frame, so that staff do not mistake a customer's account for their own. */
export function StaffShell({ email, area, title, places, links = [], children }: Props) {
  const path = usePathname()
  const here = useRef<HTMLAnchorElement>(null)
  // On a phone the places do not all fit in one row.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current place changes with the path
  useEffect(() => {
    // Not returned: newer browsers return a promise, which React would take for a clean-up function.
    here.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  return (
    <>
      <SkipLink />
      <header className={classes.header} data-area={area}>
        <div className={classes.bar}>
          <Link href={`/${area}`} className={classes.brand}>
            <Mark size={20} />
            <span className={classes.name}>Reelgate</span>
            <span className={classes.badge}>{title}</span>
          </Link>
          <nav aria-label={title} className={classes.places} data-scrolls>
            {places.map(({ href, title, below }) => {
              const isHere = path === href || (below !== undefined && path.startsWith(below))
              return (
                <Link
                  key={href}
                  ref={isHere ? here : undefined}
                  href={href}
                  className={classes.place}
                  aria-current={isHere ? 'page' : undefined}
                >
                  {title}
                </Link>
              )
            })}
          </nav>
          <Menu position="bottom-end" width={232} withinPortal>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account menu">
                <IconUserCircle size={20} stroke={1.7} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>
                Signed in as
                <div className={classes.email}>{email}</div>
              </Menu.Label>
              <Menu.Divider />
              <DisplayMenu />
              <Menu.Divider />
              {links.map((link) => (
                <Menu.Item key={link.href} component={Link} href={link.href} leftSection={<IconArrowRight size={15} />}>
                  {link.title}
                </Menu.Item>
              ))}
              <Menu.Item component={Link} href="/" leftSection={<IconArrowLeft size={15} />}>
                Go to dashboard
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </div>
      </header>
      <main id="content" tabIndex={-1} className={classes.content}>
        {children}
      </main>
    </>
  )
}
