'use client'

import { IconWebhook } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { EndpointOfList } from '#server/modules/webhooks/endpoints/list-endpoints'
import { useTRPC } from '../../../../../_trpc/client'
import { formatCount } from '../../../../../_ui/format'
import { Link } from '../../../../../_ui/Link'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { type Column, Table } from '../../../../../_ui/Table'
import classes from '../../../../_parts/Lists.module.css'
import { EndpointState } from './EndpointState'

/** Lists an account's webhook endpoints with the results of their deliveries. */
export function SupportWebhooks({ accountId }: { accountId: string }) {
  const trpc = useTRPC()
  const { data: endpoints } = useSuspenseQuery(trpc.support.webhooks.queryOptions({ accountId }))
  const columns: Column<EndpointOfList>[] = [
    {
      title: 'Endpoint',
      phone: 'wide',
      cell: ({ id, url, description }) => (
        <div className={classes.lead}>
          <Link
            href={`/support/accounts/${accountId}/webhooks/${id}`}
            prefetch={false}
            className={`${classes.link} ${classes.code} rg-row-link`}
          >
            {url}
          </Link>
          {description && <span className={classes.reason}>{description}</span>}
        </div>
      ),
    },
    { title: 'State', phone: 'bare', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
    { title: 'Events', number: true, cell: ({ events }) => formatCount(events.length) },
    { title: 'Delivered, 24 h', number: true, cell: ({ day }) => formatCount(day.delivered) },
    { title: 'Pending', number: true, cell: ({ day }) => formatCount(day.pending) },
    { title: 'Dead letters, 24 h', number: true, cell: ({ day }) => formatCount(day.dead) },
  ]
  if (endpoints.length === 0) {
    return (
      <EmptyState framed icon={<IconWebhook size={20} />} title="No webhook endpoints">
        This account has not added any endpoints.
      </EmptyState>
    )
  }
  return <Table label="Webhook endpoints" columns={columns} rows={endpoints} keyOf={({ id }) => id} />
}
