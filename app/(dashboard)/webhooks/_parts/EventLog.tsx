'use client'

import { Select, Stack } from '@mantine/core'
import { IconBolt } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useEffect, useState } from 'react'
import type { EventType } from '#server/events'
import type { LoggedEvent } from '#server/modules/webhooks/endpoints/event-log'
import { useTRPC } from '../../../_trpc/client'
import { IdChip } from '../../../_ui/IdChip'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { ShowMore } from '../../../_ui/ShowMore'
import { StatusBadge } from '../../../_ui/StatusBadge'
import { type Column, Table } from '../../../_ui/Table'
import { useDialog } from '../../../_ui/use-dialog'
import { LiveWebhooks } from './LiveWebhooks'
import { WebhookNav } from './WebhookNav'
import classes from './Webhooks.module.css'

const EventDrawer = dynamic(() => import('./EventDrawer').then((module) => module.EventDrawer), { ssr: false })

/** Lists every event of the account, with or without an endpoint for it. `types` are all event types. */
export function EventLog({ types }: { types: readonly EventType[] }) {
  const trpc = useTRPC()
  const [type, setType] = useState<EventType>()
  const [shown, show] = useDialog<string>()
  // The search links to one event.
  const asked = useSearchParams().get('event')
  useEffect(() => {
    if (asked) show(asked)
  }, [asked, show])
  const query = useInfiniteQuery(
    trpc.webhook.events.infiniteQueryOptions(
      { type },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, placeholderData: keepPreviousData },
    ),
  )
  const rows = query.data?.pages.flatMap((page) => page.events) ?? []
  const columns: Column<LoggedEvent>[] = [
    {
      title: 'Event',
      phone: 'wide',
      cell: ({ eventId, eventType, sample }) => (
        <>
          <button type="button" className={`${classes.event} rg-row-link`} onClick={() => show(eventId)}>
            {eventType}
          </button>
          {sample && <span className={classes.under}> test</span>}
        </>
      ),
    },
    { title: 'ID', cell: ({ eventId }) => <IdChip id={eventId} /> },
    { title: 'Deliveries', cell: (event) => <Deliveries of={event} /> },
    { title: 'Time', cell: ({ createdAt }) => <RelativeTime date={createdAt} exact /> },
  ]
  return (
    <>
      <LiveWebhooks />
      <PageHeader title="Webhooks" purpose="All events of your account, whether or not an endpoint received them." />
      <WebhookNav here="/webhooks/events" />
      <div className={classes.bar}>
        <Select
          aria-label="Type"
          data={[{ value: '', label: 'All types' }, ...types.map((value) => ({ value, label: value }))]}
          value={type ?? ''}
          onChange={(value) => setType((value || undefined) as EventType | undefined)}
          allowDeselect={false}
          w={250}
        />
      </div>
      <Stack gap="md">
        {query.isError && rows.length === 0 ? (
          <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
        ) : rows.length > 0 ? (
          <Table label="Events" columns={columns} rows={rows} keyOf={({ eventId }) => eventId} />
        ) : (
          <EmptyState framed icon={<IconBolt size={20} />} title="No events yet">
            Upload a video. Its processing events appear here, and we send them to your endpoints.
          </EmptyState>
        )}
        <ShowMore query={query} />
      </Stack>
      {shown && <EventDrawer key={shown.times} eventId={shown.subject} {...shown.props} />}
    </>
  )
}

function Deliveries({ of: { deliveries } }: { of: LoggedEvent }) {
  const { delivered, pending, dead } = deliveries
  if (delivered + pending + dead === 0) return <span className={classes.under}>None</span>
  if (dead > 0) return <StatusBadge tone="bad">{dead} failed</StatusBadge>
  if (pending > 0)
    return (
      <StatusBadge tone="info" live>
        {pending} pending
      </StatusBadge>
    )
  return <StatusBadge tone="good">{delivered} delivered</StatusBadge>
}
