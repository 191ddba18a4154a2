'use client'

import { Burger } from '@mantine/core'
import { useDidUpdate, useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconBook2, IconHeadset, IconServerCog } from '@tabler/icons-react'
import { usePathname } from 'next/navigation'
import { type ReactNode, useRef } from 'react'
import type { ShownAnnouncement } from '#server/modules/backoffice/operator/announcements'
import type { CurrentUser } from '#server/modules/identity/sessions/get-current-user'
import { Link } from '../../_ui/Link'
import { Mark } from '../../_ui/Mark'
import { SkipLink } from '../../_ui/page/SkipLink'
import { AccountMenu } from './AccountMenu'
import { Announcements } from './Announcements'
import { ConnectionNotice } from './ConnectionNotice'
import { OwnerViewBanner } from './OwnerViewBanner'
import { PaletteField } from './palette/PaletteField'
import { isWithin, PLACES } from './places'
import classes from './Shell.module.css'
import { SuspendedNotice } from './SuspendedNotice'

interface Props {
  me: CurrentUser
  baseUrl: string
  announcements: ShownAnnouncement[]
  children: ReactNode
}

/**
 * Renders the navigation at the left (a drawer on a phone), the search above, the page below it. No context around the page may change
 * while scripts load: React would replace the server's HTML with the skeleton.
 */
export function Shell({ me, baseUrl, announcements, children }: Props) {
  const [open, drawer] = useDisclosure(false)
  const [opener, closer] = [useRef<HTMLButtonElement>(null), useRef<HTMLButtonElement>(null)]
  useDidUpdate(() => (open ? closer : opener).current?.focus(), [open])
  useHotkeys(open ? [['Escape', drawer.close]] : [])
  const path = usePathname()

  return (
    <div className={classes.shell}>
      <SkipLink />
      <header className={classes.header}>
        <div className={classes.bar}>
          <Burger ref={opener} className={classes.phone} onClick={drawer.open} size="sm" aria-label="Open navigation" />
          <span className={`${classes.mark} ${classes.phone}`}>
            <Mark size={22} />
          </span>
          <span className={`${classes.phone} ${classes.name}`}>Reelgate</span>
          <PaletteField me={me} baseUrl={baseUrl} />
        </div>
      </header>

      <nav className={classes.nav} aria-label="Sidebar" data-open={open || undefined}>
        <div className={classes.top}>
          <Link href="/" className={classes.brand} aria-label="Reelgate overview">
            <Mark size={22} />
            <span className={classes.name}>Reelgate</span>
          </Link>
          <Burger ref={closer} className={classes.phone} opened onClick={drawer.close} size="sm" aria-label="Close navigation" />
        </div>
        <AccountMenu me={me} />
        <nav aria-label="Main">
          {PLACES.map(({ href, title, icon: Icon }) => (
            <Link
              key={href}
              href={href}
              className={classes.place}
              aria-current={isWithin(path, href) ? 'page' : undefined}
              onClick={drawer.close}
            >
              <Icon size={17} stroke={1.7} />
              {title}
            </Link>
          ))}
        </nav>
        <div className={classes.foot}>
          {me.staff === 'operator' && (
            <Link href="/operator" className={classes.place}>
              <IconServerCog size={17} stroke={1.7} />
              Operator console
            </Link>
          )}
          {me.staff && (
            <Link href="/support" className={classes.place}>
              <IconHeadset size={17} stroke={1.7} />
              Support
            </Link>
          )}
          <Link href="/docs" className={classes.place}>
            <IconBook2 size={17} stroke={1.7} />
            Documentation
          </Link>
        </div>
      </nav>

      <main className={classes.main}>
        {me.ownerView && <OwnerViewBanner account={me.account.name} {...me.ownerView} />}
        <ConnectionNotice />
        <Announcements announcements={announcements} mayDismiss={!me.ownerView} />
        {me.suspended && <SuspendedNotice {...me.suspended} />}
        <div id="content" tabIndex={-1} className={classes.content}>
          {children}
        </div>
      </main>
    </div>
  )
}
