'use client'

import { AppShell, Burger, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBook2, IconKey, IconLayoutDashboard, IconMovie, IconSettings } from '@tabler/icons-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import type { Me } from '#server/account/me'
import { Mark } from '../../_ui/Mark'
import { AccountMenu } from './AccountMenu'
import classes from './Shell.module.css'

const PLACES = [
  { href: '/', title: 'Overview', icon: IconLayoutDashboard },
  { href: '/videos', title: 'Videos', icon: IconMovie },
  { href: '/api-keys', title: 'API Keys', icon: IconKey },
  { href: '/settings', title: 'Settings', icon: IconSettings },
]

/** Navigation at the left, a drawer on a phone; the page beside it. */
export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const [open, drawer] = useDisclosure(false)
  const path = usePathname()
  const isHere = (href: string) => (href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`))

  return (
    <AppShell
      header={{ height: { base: 52, sm: 0 } }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !open } }}
      transitionDuration={150}
      withBorder={false}
    >
      <a className={classes.skip} href="#content">
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm" className={classes.header}>
        <Group h="100%" px="md" gap="sm">
          <Burger opened={open} onClick={drawer.toggle} size="sm" aria-label={open ? 'Close navigation' : 'Open navigation'} />
          <Mark size={22} />
          <span className={classes.name}>Reelgate</span>
        </Group>
      </AppShell.Header>

      <AppShell.Navbar className={classes.nav}>
        <Link href="/" className={classes.brand} aria-label="Reelgate, to the overview">
          <Mark size={22} />
          <span className={classes.name}>Reelgate</span>
        </Link>
        <AccountMenu me={me} />
        <nav aria-label="Main">
          {PLACES.map(({ href, title, icon: Icon }) => (
            <Link key={href} href={href} className={classes.place} aria-current={isHere(href) ? 'page' : undefined} onClick={drawer.close}>
              <Icon size={17} stroke={1.7} />
              {title}
            </Link>
          ))}
        </nav>
        <Link href="/docs" className={classes.foot}>
          <IconBook2 size={17} stroke={1.7} />
          Documentation
        </Link>
      </AppShell.Navbar>

      <AppShell.Main className={classes.main}>
        <div id="content" className={classes.content}>
          {children}
        </div>
      </AppShell.Main>
    </AppShell>
  )
}
