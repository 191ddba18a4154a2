'use client'

import { Anchor, Group, Title } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTRPC } from '../../../../_trpc/client'
import { IdChip } from '../../../../_ui/IdChip'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { TierBadge } from '../../../_parts/TierBadge'
import classes from './AccountFrame.module.css'
import { SuspendButton } from './SuspendButton'
import { ViewAsOwnerButton } from './ViewAsOwnerButton'

const PARTS = [
  { path: '', title: 'Overview' },
  { path: '/timeline', title: 'Timeline' },
  { path: '/notes', title: 'Notes' },
  { path: '/keys', title: 'Keys' },
  { path: '/videos', title: 'Videos' },
  { path: '/requests', title: 'Requests' },
  { path: '/webhooks', title: 'Webhooks' },
  { path: '/billing', title: 'Billing' },
  { path: '/audit-log', title: 'Audit log' },
]

/** Shows the account's name and state on every page of it. */
export function AccountFrame({ accountId, children }: { accountId: string; children: ReactNode }) {
  const trpc = useTRPC()
  const { data: account } = useSuspenseQuery(trpc.support.account.queryOptions({ accountId }))
  const path = usePathname()
  const base = `/support/accounts/${accountId}`
  const isHere = (part: string) => (part === '' ? path === base : path.startsWith(`${base}${part}`))
  const here = useRef<HTMLAnchorElement>(null)
  // On a phone the tabs do not all fit in one row.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current tab changes with the path
  useEffect(() => {
    // Not returned: newer browsers return a promise, which React would take for a clean-up function.
    here.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  const owner = account.members.find(({ role }) => role === 'OWNER')

  return (
    <>
      <Anchor component={Link} href="/support" className={classes.back}>
        <IconChevronLeft size={15} />
        Search
      </Anchor>
      <header className={classes.head}>
        <Group justify="space-between" align="flex-start" gap="sm">
          <div className={classes.main}>
            <Group gap="sm" align="center">
              <Title order={1} className={classes.title}>
                {account.name}
              </Title>
              <TierBadge tier={account.tier} />
              {account.suspendedAt && <StatusBadge tone="bad">Suspended</StatusBadge>}
              <IdChip id={account.id} />
            </Group>
            <p className={classes.about}>
              {owner && `${owner.email}. `}Created <RelativeTime date={account.createdAt} />. Views are recorded in the customer’s audit
              log.
            </p>
          </div>
          <Group gap="xs">
            <ViewAsOwnerButton accountId={account.id} name={account.name} />
            <SuspendButton accountId={account.id} name={account.name} suspended={account.suspendedAt !== null} />
          </Group>
        </Group>
        {account.suspendedAt && (
          <div className={classes.notice}>
            <Notice tone="bad">
              Suspended <RelativeTime date={account.suspendedAt} />. Reason shown to members: {account.suspensionReason}
            </Notice>
          </div>
        )}
      </header>
      <nav aria-label="Account sections" className={classes.parts} data-scrolls>
        {PARTS.map((part) => (
          <Link
            key={part.path}
            ref={isHere(part.path) ? here : undefined}
            href={`${base}${part.path}`}
            // A view is recorded when a page is opened, not when a pointer passes over its link.
            prefetch={false}
            className={classes.part}
            aria-current={isHere(part.path) ? 'page' : undefined}
          >
            {part.title}
          </Link>
        ))}
      </nav>
      {children}
    </>
  )
}
