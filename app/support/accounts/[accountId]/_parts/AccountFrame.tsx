'use client'

import { Anchor, Group, Title } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTRPC } from '../../../../_trpc/client'
import { IdChip } from '../../../../_ui/IdChip'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { TierBadge } from '../../../_parts/TierBadge'
import classes from './AccountFrame.module.css'

const PARTS = [
  { path: '', title: 'Overview' },
  { path: '/keys', title: 'Keys' },
  { path: '/videos', title: 'Videos' },
  { path: '/requests', title: 'Requests' },
  { path: '/webhooks', title: 'Webhooks' },
  { path: '/billing', title: 'Billing' },
]

/** Whose account this is, on every page of it. */
export function AccountFrame({ accountId, children }: { accountId: string; children: ReactNode }) {
  const trpc = useTRPC()
  const { data: account } = useSuspenseQuery(trpc.support.account.queryOptions({ accountId }))
  const path = usePathname()
  const base = `/support/accounts/${accountId}`
  const isHere = (part: string) => (part === '' ? path === base : path.startsWith(`${base}${part}`))
  const here = useRef<HTMLAnchorElement>(null)
  // On a phone the parts do not all fit beside each other.
  // biome-ignore lint/correctness/useExhaustiveDependencies: where one is changes with the path
  useEffect(() => {
    // Not returned: newer browsers answer a promise, which React would take for how to clean up.
    here.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  const owner = account.members.find(({ role }) => role === 'OWNER')

  return (
    <>
      <Anchor component={Link} href="/support" className={classes.back}>
        <IconChevronLeft size={15} />
        Find
      </Anchor>
      <header className={classes.head}>
        <Group gap="sm" align="center">
          <Title order={1} className={classes.title}>
            {account.name}
          </Title>
          <TierBadge tier={account.tier} />
          <IdChip id={account.id} />
        </Group>
        <p className={classes.about}>
          {owner && `${owner.email}, `}since <RelativeTime date={account.createdAt} />. Looking at it stands in its audit log.
        </p>
      </header>
      <nav aria-label="Parts of the account" className={classes.parts}>
        {PARTS.map((part) => (
          <Link
            key={part.path}
            ref={isHere(part.path) ? here : undefined}
            href={`${base}${part.path}`}
            // Looked at is what is opened, and so written down; not what a pointer passes over.
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
