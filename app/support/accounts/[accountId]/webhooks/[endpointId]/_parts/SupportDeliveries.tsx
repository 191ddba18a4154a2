'use client'

import { SegmentedControl, Title, UnstyledButton } from '@mantine/core'
import { IconWebhook } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { ListedDelivery } from '#server/modules/webhooks/delivery/list-deliveries'
import type { DeliveryStatus } from '#server/modules/webhooks/endpoints/state'
import { useTRPC } from '../../../../../../_trpc/client'
import { formatCount } from '../../../../../../_ui/format'
import { IdChip } from '../../../../../../_ui/IdChip'
import { EmptyState } from '../../../../../../_ui/page/EmptyState'
import { RelativeTime } from '../../../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../../../_ui/StatusBadge'
import { type Column, Table } from '../../../../../../_ui/Table'
import type { Tone } from '../../../../../../_ui/theme'
import { useDialog } from '../../../../../../_ui/use-dialog'
import classes from '../../../../../_parts/Lists.module.css'
import { PagedList } from '../../../../../_parts/PagedList'
import { EndpointState } from '../../_parts/EndpointState'

const DeliveryDialog = dynamic(() => import('./DeliveryDialog').then((module) => module.DeliveryDialog), { ssr: false })

const STATUSES: Record<DeliveryStatus, { tone: Tone; title: string }> = {
  PENDING: { tone: 'neutral', title: 'Pending' },
  DELIVERED: { tone: 'good', title: 'Delivered' },
  DEAD: { tone: 'bad', title: 'Dead letter' },
}
const FILTERS = [
  { value: 'ALL', label: 'All' },
  { value: 'PENDING', label: 'Pending' },
  { value: 'DELIVERED', label: 'Delivered' },
  { value: 'DEAD', label: 'Dead letters' },
]

/** Lists the deliveries to an endpoint, newest first. */
export function SupportDeliveries({ accountId, endpointId }: { accountId: string; endpointId: string }) {
  const trpc = useTRPC()
  const { data: endpoints } = useSuspenseQuery(trpc.support.webhooks.queryOptions({ accountId }))
  const endpoint = endpoints.find(({ id }) => id === endpointId)
  const [filter, setFilter] = useState('ALL')
  const [dialog, show] = useDialog<string>()
  const query = useInfiniteQuery(
    trpc.support.deliveries.infiniteQueryOptions(
      { accountId, endpointId, status: filter === 'ALL' ? undefined : (filter as DeliveryStatus) },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, placeholderData: keepPreviousData },
    ),
  )
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries) ?? []
  const columns: Column<ListedDelivery>[] = [
    {
      title: 'Event',
      phone: 'wide',
      cell: ({ eventId, eventType, sample }) => (
        <div className={classes.lead}>
          <UnstyledButton className={`${classes.link} ${classes.code} rg-row-link`} onClick={() => show(eventId)}>
            {eventType}
          </UnstyledButton>
          <span className={classes.reason}>
            <IdChip id={eventId} /> {sample && 'test'}
          </span>
        </div>
      ),
    },
    {
      title: 'Status',
      phone: 'bare',
      cell: ({ status, lastError }) => (
        <>
          <StatusBadge tone={STATUSES[status].tone} live={status === 'PENDING'}>
            {STATUSES[status].title}
          </StatusBadge>
          {lastError && <div className={classes.reason}>{lastError}</div>}
        </>
      ),
    },
    { title: 'Attempts', number: true, cell: ({ attemptCount }) => formatCount(attemptCount) },
    { title: 'Created', cell: ({ createdAt }) => <RelativeTime date={createdAt} /> },
    { title: 'Next attempt', cell: ({ nextAt }) => (nextAt ? <RelativeTime date={nextAt} /> : '–') },
  ]
  return (
    <>
      {endpoint && (
        <header className={classes.subject}>
          <Title order={2} className={classes.code}>
            {endpoint.url}
          </Title>
          <p className={classes.hint}>{[endpoint.description, endpoint.events.join(', ')].filter(Boolean).join(': ')}</p>
          <EndpointState endpoint={endpoint} />
        </header>
      )}
      <div className={classes.bar}>
        <SegmentedControl aria-label="Status" data={FILTERS} value={filter} onChange={setFilter} size="xs" />
      </div>
      <PagedList
        query={query}
        rows={deliveries}
        empty={
          <EmptyState framed icon={<IconWebhook size={20} />} title="No deliveries found">
            {filter === 'ALL' ? 'We have not sent any events to this endpoint.' : 'No deliveries have this status.'}
          </EmptyState>
        }
      >
        <Table label="Deliveries" columns={columns} rows={deliveries} keyOf={({ eventId }) => eventId} />
      </PagedList>
      {dialog && (
        <DeliveryDialog key={dialog.times} accountId={accountId} endpointId={endpointId} eventId={dialog.subject} {...dialog.props} />
      )}
    </>
  )
}
