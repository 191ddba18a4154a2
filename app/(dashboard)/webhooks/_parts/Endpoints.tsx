'use client'

import { Button } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { EndpointOfList } from '#server/modules/webhooks/endpoints/list-endpoints'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { type Column, Table } from '../../../_ui/Table'
import { useDialog } from '../../../_ui/use-dialog'
import { useMay } from '../../_parts/permissions'
import { EndpointState } from './badges'
import { LiveWebhooks } from './LiveWebhooks'
import { WebhookNav } from './WebhookNav'
import classes from './Webhooks.module.css'

const EndpointDialog = dynamic(() => import('./EndpointDialog').then((module) => module.EndpointDialog), { ssr: false })

const COLUMNS: Column<EndpointOfList>[] = [
  {
    title: 'Endpoint',
    phone: 'wide',
    cell: ({ id, url, description }) => (
      <>
        <Link href={`/webhooks/${id}`} className={`${classes.address} rg-row-link`}>
          {url}
        </Link>
        {description && <span className={classes.under}>{description}</span>}
      </>
    ),
  },
  { title: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  { title: 'Events', number: true, cell: ({ events }) => events.length },
  { title: 'Delivered, 24 h', number: true, cell: ({ day }) => formatCount(day.delivered) },
  { title: 'Pending', number: true, cell: ({ day }) => formatCount(day.pending) },
  { title: 'Dead letters, 24 h', number: true, cell: ({ day }) => formatCount(day.dead) },
  { title: 'Created', cell: ({ createdAt }) => <RelativeTime date={createdAt} /> },
]

/** Lists the endpoints that receive the account's events. */
export function Endpoints() {
  const trpc = useTRPC()
  const { data: endpoints } = useSuspenseQuery(trpc.webhook.list.queryOptions())
  const [adding, openAdding] = useDialog()
  const mayChange = useMay('webhooks.change')
  const add = mayChange && (
    <Button leftSection={<IconPlus size={15} />} onClick={() => openAdding()}>
      Add endpoint
    </Button>
  )
  return (
    <>
      <LiveWebhooks />
      <PageHeader title="Webhooks" purpose="Receive signed events on your server. We retry failed deliveries." action={add} />
      <WebhookNav here="/webhooks" />
      {endpoints.length > 0 ? (
        <Table
          label="Webhook endpoints"
          columns={COLUMNS}
          rows={endpoints}
          keyOf={({ id }) => id}
          muted={({ disabledAt }) => disabledAt !== null}
        />
      ) : (
        <EmptyState framed icon={<IconWebhook size={20} />} title="No endpoints yet" action={add}>
          Add an https URL that receives the events you select. To test locally, run <code>npx -p @reelgate/sdk reelgate listen</code>.
        </EmptyState>
      )}
      {adding && <EndpointDialog key={adding.times} {...adding.props} />}
    </>
  )
}
