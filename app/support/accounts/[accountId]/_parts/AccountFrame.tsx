'use client'

import { Group, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useHereInView } from '../../../../_parts/staff/use-here-in-view'
import { useTRPC } from '../../../../_trpc/client'
import { IdChip } from '../../../../_ui/IdChip'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { TierBadge } from '../../../_parts/TierBadge'
import { AccountActions } from './AccountActions'
import classes from './AccountFrame.module.css'

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

/** Shows the account's name, state and sections on each of its pages. */
export function AccountFrame({ accountId, children }: { accountId: string; children: ReactNode }) {
  const trpc = useTRPC()
  const { data: account } = useSuspenseQuery(trpc.support.account.queryOptions({ accountId }))
  const { path, here } = useHereInView()
  const base = `/support/accounts/${accountId}`
  const isHere = (part: string) => (part === '' ? path === base : path.startsWith(`${base}${part}`))
  const owner = account.members.find(({ role }) => role === 'OWNER')

  return (
    <>
      <header className={classes.head}>
        <Group justify="space-between" align="flex-start" gap="sm">
          <div className={classes.main}>
            <Group gap="sm" align="center">
              <Title order={1} className={classes.title}>
                {account.name}
              </Title>
              <TierBadge tier={account.tier} />
              {account.suspendedAt && <StatusBadge tone="bad">Suspended</StatusBadge>}
              {account.waiting.length > 0 && (
                <Link href="/support/approvals" className={`${classes.waiting} rg-touch`}>
                  <StatusBadge tone="warn">
                    {account.waiting.length === 1 ? '1 pending approval' : `${account.waiting.length} pending approvals`}
                  </StatusBadge>
                </Link>
              )}
              <IdChip id={account.id} />
            </Group>
            <p className={classes.about}>
              {owner && `${owner.email}. `}Created <RelativeTime date={account.createdAt} />. The owner sees your visits in the audit log.
            </p>
          </div>
          <AccountActions account={account} />
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
