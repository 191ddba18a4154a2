'use client'

import { ActionIcon, Menu, VisuallyHidden } from '@mantine/core'
import { IconArrowLeft, IconArrowRight, IconUserCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { DisplayMenu } from '../../_ui/DisplayMenu'
import { Link } from '../../_ui/Link'
import { Mark } from '../../_ui/Mark'
import { SkipLink } from '../../_ui/page/SkipLink'
import classes from './StaffShell.module.css'
import { useHereInView } from './use-here-in-view'

interface Props {
  email: string
  /** Which pages these are: `title` is in the badge after the name. */
  area: 'support' | 'operator'
  title: string
  /** `below`: pages below this address belong to the place too. `pending`: how many items wait for a decision. */
  places: readonly { href: string; title: string; below?: string; pending?: number | undefined }[]
  /** Other pages of staff, in the menu. */
  links?: readonly { href: string; title: string }[]
  search?: ReactNode
  children: ReactNode
}

/** Renders a distinct frame, so that staff do not mistake a customer's account for their own. */
export function StaffShell({ email, area, title, places, links = [], search, children }: Props) {
  const { path, here } = useHereInView()
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
            {places.map(({ href, title, below, pending = 0 }) => {
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
                  {pending > 0 && (
                    <span className={classes.pending}>
                      <VisuallyHidden>, </VisuallyHidden>
                      {pending}
                      <VisuallyHidden> pending</VisuallyHidden>
                    </span>
                  )}
                </Link>
              )
            })}
          </nav>
          {search && <div className={classes.search}>{search}</div>}
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
