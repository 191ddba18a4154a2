'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { StaffShell } from '../../_parts/staff/StaffShell'
import { useTRPC } from '../../_trpc/client'
import { SearchField } from './SearchField'

interface Props {
  email: string
  isOperator: boolean
  children: ReactNode
}

/** Lays out the support pages: the search, and the navigation with what waits for a decision. */
export function SupportShell({ email, isOperator, children }: Props) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.support.pending.queryOptions(undefined, { refetchInterval: 30_000 }))
  return (
    <StaffShell
      email={email}
      area="support"
      title="Support"
      search={<SearchField />}
      places={[
        { href: '/support', title: 'Search', below: '/support/accounts/' },
        { href: '/support/quota-requests', title: 'Quota requests', pending: data?.quotaRequests },
        { href: '/support/approvals', title: 'Approvals', pending: data?.approvals },
        { href: '/support/accounts', title: 'Accounts' },
        { href: '/support/fleet', title: 'Workers' },
        { href: '/support/backups', title: 'Backups' },
      ]}
      links={isOperator ? [{ href: '/operator', title: 'Operator console' }] : []}
    >
      {children}
    </StaffShell>
  )
}
