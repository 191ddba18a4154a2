'use client'

import { SegmentedControl, Stack, Title } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { ListedDelivery } from '#server/modules/webhooks/delivery/list-deliveries'
import type { DeliveryStatus } from '#server/modules/webhooks/endpoints/state'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { ShowMore } from '../../../_ui/ShowMore'
import { type Column, Table } from '../../../_ui/Table'
import { useDialog } from '../../../_ui/use-dialog'
import { Countdown } from '../../_parts/Countdown'
import { DeliveryState } from './badges'
import classes from './Webhooks.module.css'

const DeliveryDrawer = dynamic(() => import('./DeliveryDrawer').then((module) => module.DeliveryDrawer), { ssr: false })

const FILTERS: { value: DeliveryStatus | 'ALL'; label: string }[] = [
  { value: 'ALL', label: 'All' },
  { value: 'PENDING', label: 'Pending' },
  { value: 'DELIVERED', label: 'Delivered' },
  { value: 'DEAD', label: 'Dead letters' },
]

const lastAnswer = ({ lastError, lastStatus, lastDurationMs }: ListedDelivery) =>
  lastError ?? (lastStatus === null ? '' : `${lastStatus} in ${formatCount(lastDurationMs ?? 0)} ms`)

/** Lists the deliveries to one endpoint, live. */
export function Deliveries({ endpointId }: { endpointId: string }) {
  const trpc = useTRPC()
  const [status, setStatus] = useState<DeliveryStatus>()
  const [shown, show] = useDialog<ListedDelivery>()
  const query = useInfiniteQuery(
    trpc.webhook.deliveries.infiniteQueryOptions(
      { endpointId, status },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, placeholderData: keepPreviousData },
    ),
  )
  const rows = query.data?.pages.flatMap((page) => page.deliveries) ?? []
  const columns: Column<ListedDelivery>[] = [
    {
      title: 'Event',
      phone: 'wide',
      cell: (delivery) => (
        <>
          <button type="button" className={`${classes.event} rg-row-link`} onClick={() => show(delivery)}>
            {delivery.eventType}
          </button>
          {delivery.sample && <span className={classes.under}> test</span>}
        </>
      ),
    },
    { title: 'Status', cell: (delivery) => <DeliveryState delivery={delivery} /> },
    { title: 'Last response', phone: 'bare', cell: (delivery) => <div className={classes.reason}>{lastAnswer(delivery)}</div> },
    { title: 'Next attempt', cell: ({ nextAt, attemptCount }) => (nextAt && attemptCount > 0 ? <Countdown at={nextAt} /> : '–') },
    { title: 'Time', cell: ({ createdAt }) => <RelativeTime date={createdAt} exact /> },
  ]
  return (
    <section aria-label="Deliveries">
      <div className={classes.bar}>
        <Title order={2}>Deliveries</Title>
        <SegmentedControl
          aria-label="Status"
          size="xs"
          data={FILTERS}
          value={status ?? 'ALL'}
          onChange={(value) => setStatus(value === 'ALL' ? undefined : (value as DeliveryStatus))}
        />
      </div>
      <Stack gap="md">
        {query.isError && rows.length === 0 ? (
          <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
        ) : rows.length > 0 ? (
          <Table label="Deliveries" columns={columns} rows={rows} keyOf={({ eventId }) => eventId} />
        ) : (
          <EmptyState framed icon={<IconSend size={20} />} title={status ? 'No deliveries' : 'No deliveries yet'}>
            {status ? 'No deliveries have this status.' : 'Send a test event to see its delivery here.'}
          </EmptyState>
        )}
        <ShowMore query={query} />
      </Stack>
      {shown && <DeliveryDrawer key={shown.times} endpointId={endpointId} eventId={shown.subject.eventId} {...shown.props} />}
    </section>
  )
}
