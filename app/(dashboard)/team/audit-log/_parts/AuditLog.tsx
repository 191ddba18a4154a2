'use client'

import { Button, Menu, Skeleton, Stack } from '@mantine/core'
import { IconDownload, IconHistory } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AuditFilter } from '#server/modules/audit/schema'
import { AuditFilters } from '../../../../_parts/audit/AuditFilters'
import { AuditTable } from '../../../../_parts/audit/AuditTable'
import { useTRPC } from '../../../../_trpc/client'
import { EmptyState } from '../../../../_ui/page/EmptyState'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { PageHeader } from '../../../../_ui/page/PageHeader'
import { ShowMore } from '../../../../_ui/ShowMore'
import { TeamTabs } from '../../_parts/TeamTabs'

const inAddress = (filter: AuditFilter) =>
  new URLSearchParams(Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []))).toString()

/** Lists every change in the account: who, what, when, before and after. */
export function AuditLog({ initial }: { initial: AuditFilter }) {
  const trpc = useTRPC()
  const [filter, setFilter] = useState(initial)
  const { data: choices } = useSuspenseQuery(trpc.audit.choices.queryOptions())
  const log = useInfiniteQuery(
    trpc.audit.list.infiniteQueryOptions(filter, {
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      placeholderData: keepPreviousData,
    }),
  )
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? []
  const choose = (chosen: AuditFilter) => {
    setFilter(chosen)
    // The address holds the filter, so that it can be bookmarked and shared.
    const query = inAddress(chosen)
    window.history.replaceState(null, '', query ? `?${query}` : window.location.pathname)
  }
  const file = (format: string) => `/api/audit/${format}${inAddress(filter) && `?${inAddress(filter)}`}`
  const filtered = inAddress(filter) !== ''

  return (
    <>
      <PageHeader
        title="Audit log"
        purpose="Who changed what in this account, and when."
        action={
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" leftSection={<IconDownload size={15} />}>
                Export
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item component="a" href={file('csv')} download>
                CSV
              </Menu.Item>
              <Menu.Item component="a" href={file('json')} download>
                JSON
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        }
      />
      <TeamTabs here="/team/audit-log" />
      <AuditFilters filter={filter} choices={choices} onChange={choose} />
      <Stack gap="md">
        {log.isPending ? (
          <Stack gap={1} aria-busy="true" aria-label="Loading audit log">
            {['a', 'b', 'c', 'd'].map((row) => (
              <Skeleton key={row} height={58} />
            ))}
          </Stack>
        ) : log.isError && entries.length === 0 ? (
          <ErrorState message={log.error.message} requestId={log.error.data?.requestId} onRetry={() => void log.refetch()} />
        ) : entries.length > 0 ? (
          <AuditTable entries={entries} onFilter={choose} />
        ) : (
          <EmptyState
            framed
            icon={<IconHistory size={20} />}
            title={filtered ? 'No matching changes' : 'No changes yet'}
            action={
              filtered && (
                <Button variant="default" onClick={() => choose({})}>
                  Clear filters
                </Button>
              )
            }
          >
            {filtered ? 'Try another actor, another action or a longer period.' : 'Changes to this account appear here.'}
          </EmptyState>
        )}
        <ShowMore query={log} />
      </Stack>
    </>
  )
}
