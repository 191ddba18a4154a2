'use client'

import { Button } from '@mantine/core'
import { IconInbox } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { OpenQuotaRequest } from '#server/modules/backoffice/support/account-quota'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { type Column, Table } from '../../../_ui/Table'
import { useDialog } from '../../../_ui/use-dialog'
import classes from '../../_parts/Lists.module.css'

const ResolveQuotaRequestDialog = dynamic(() => import('./ResolveQuotaRequestDialog').then((module) => module.ResolveQuotaRequestDialog), {
  ssr: false,
})

/** Lists the open quota requests of paid accounts. */
export function QuotaRequests() {
  const trpc = useTRPC()
  const { data: requests } = useSuspenseQuery(trpc.support.quotaRequests.queryOptions(undefined, { refetchInterval: 30_000 }))
  const [dialog, review] = useDialog<OpenQuotaRequest>()
  const columns: Column<OpenQuotaRequest>[] = [
    {
      title: 'Account',
      phone: 'wide',
      cell: ({ accountId, accountName }) => (
        <Link href={`/support/accounts/${accountId}/keys`} prefetch={false} className={`${classes.link} rg-touch`}>
          {accountName}
        </Link>
      ),
    },
    { title: 'Key', phone: 'wide', cell: ({ keyName, keyPrefix }) => `${keyName} (${keyPrefix}…)` },
    { title: 'Requested quota', number: true, cell: ({ requestedQuota }) => formatCount(requestedQuota) },
    { title: 'Busiest day', number: true, cell: ({ busiestDay }) => formatCount(busiestDay) },
    { title: 'Reason', phone: 'wide', cell: ({ reason }) => <span className={classes.text}>{reason}</span> },
    { title: 'Submitted', cell: ({ createdAt }) => <RelativeTime date={createdAt} /> },
    {
      title: 'Actions',
      phone: 'corner',
      cell: (request) => (
        <Button size="compact-sm" variant="default" aria-label={`Review ${request.accountName}`} onClick={() => review(request)}>
          Review
        </Button>
      ),
    },
  ]
  return (
    <>
      <PageHeader
        title="Quota requests"
        purpose="Paid accounts that asked for a higher daily quota, oldest first. The requester sees your reply."
      />
      {requests.length > 0 ? (
        <Table label="Quota requests" columns={columns} rows={requests} keyOf={({ id }) => id} />
      ) : (
        <EmptyState framed icon={<IconInbox size={20} />} title="No open requests">
          Owners of paid accounts request a higher quota on an API key’s page. If email is configured, we email you each request.
        </EmptyState>
      )}
      {dialog && <ResolveQuotaRequestDialog key={dialog.times} request={dialog.subject} {...dialog.props} />}
    </>
  )
}
