'use client'

import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core'
import { IconArrowLeft, IconCheck, IconDeviceDesktop, IconMoon, IconSun, IconUserCircle } from '@tabler/icons-react'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Link } from '../../_ui/Link'
import { Mark } from '../../_ui/Mark'
import { SkipLink } from '../../_ui/SkipLink'
import classes from './SupportShell.module.css'

const PLACES = [
  { href: '/support', title: 'Search' },
  { href: '/support/quota-requests', title: 'Quota requests' },
  { href: '/support/approvals', title: 'Approvals' },
  { href: '/support/accounts', title: 'Accounts' },
  { href: '/support/fleet', title: 'Workers' },
  { href: '/support/backups', title: 'Backups' },
]

const SCHEMES = [
  { value: 'light', title: 'Light', icon: IconSun },
  { value: 'dark', title: 'Dark', icon: IconMoon },
  { value: 'auto', title: 'System', icon: IconDeviceDesktop },
] as const

/** Renders a distinct frame, so that staff do not mistake a customer's account for their own. */
export function SupportShell({ email, children }: { email: string; children: ReactNode }) {
  const path = usePathname()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isHere = (href: string) => (href === '/support' ? path === href || path.startsWith('/support/accounts/') : path === href)
  return (
    <>
      <SkipLink />
      <header className={classes.header}>
        <div className={classes.bar}>
          <Link href="/support" className={classes.brand}>
            <Mark size={20} />
            <span className={classes.name}>Reelgate</span>
            <span className={classes.badge}>Support</span>
          </Link>
          <nav aria-label="Support" className={classes.places}>
            {PLACES.map(({ href, title }) => (
              <Link key={href} href={href} className={classes.place} aria-current={isHere(href) ? 'page' : undefined}>
                {title}
              </Link>
            ))}
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
              <Menu.Label>Theme</Menu.Label>
              {SCHEMES.map(({ value, title, icon: Icon }) => (
                <Menu.Item
                  key={value}
                  leftSection={<Icon size={15} />}
                  rightSection={colorScheme === value && <IconCheck size={14} aria-label="selected" />}
                  onClick={() => setColorScheme(value)}
                >
                  {title}
                </Menu.Item>
              ))}
              <Menu.Divider />
              <Menu.Item component={Link} href="/" leftSection={<IconArrowLeft size={15} />}>
                Go to dashboard
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </div>
      </header>
      <main id="content" className={classes.content}>
        {children}
      </main>
    </>
  )
}
