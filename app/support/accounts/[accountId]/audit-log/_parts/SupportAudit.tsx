'use client'

import { IconHistory } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { AuditFilter } from '#server/modules/audit/schema'
import { AuditFilters } from '../../../../../_parts/audit/AuditFilters'
import { AuditTable } from '../../../../../_parts/audit/AuditTable'
import { useTRPC } from '../../../../../_trpc/client'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { PagedList } from '../../../../_parts/PagedList'

/** Shows the audit log of an account as its members read it. */
export function SupportAudit({ accountId, initial }: { accountId: string; initial: AuditFilter }) {
  const trpc = useTRPC()
  const [filter, setFilter] = useState(initial)
  const { data: choices } = useSuspenseQuery(trpc.support.auditChoices.queryOptions({ accountId }))
  const log = useInfiniteQuery(
    trpc.support.audit.infiniteQueryOptions(
      { ...filter, accountId },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, placeholderData: keepPreviousData },
    ),
  )
  const home = `/support/accounts/${accountId}`
  const pages = useMemo(() => [['vid_', `${home}/videos/`] as const, ['whe_', `${home}/webhooks/`] as const], [home])
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <>
      <AuditFilters filter={filter} choices={choices} onChange={setFilter} />
      <PagedList
        query={log}
        rows={entries}
        empty={
          <EmptyState framed icon={<IconHistory size={20} />} title="No matching changes">
            Try another actor, another action or a longer period.
          </EmptyState>
        }
      >
        <AuditTable entries={entries} pages={pages} onFilter={setFilter} />
      </PagedList>
    </>
  )
}
