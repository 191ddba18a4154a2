'use client'

import { Button, Group, Text } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { WaitingApproval } from '#server/modules/backoffice/support/approvals'
import { useTRPC } from '../../../_trpc/client'
import { Link } from '../../../_ui/Link'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { type Column, Table } from '../../../_ui/Table'
import { useDialog } from '../../../_ui/use-dialog'
import { describeChange } from '../../_parts/describe-change'
import classes from '../../_parts/Lists.module.css'

const ApprovalDialog = dynamic(() => import('./ApprovalDialog').then((module) => module.ApprovalDialog), { ssr: false })

const BARRED = { proposer: 'Proposed by you', member: 'Your account' } as const

/** Lists the changes that staff proposed and another staff member must approve. */
export function Approvals() {
  const trpc = useTRPC()
  const { data: waiting } = useSuspenseQuery(trpc.support.approvals.queryOptions(undefined, { refetchInterval: 30_000 }))
  const [dialog, ask] = useDialog<{ approval: WaitingApproval; approve: boolean }>()
  const columns: Column<WaitingApproval>[] = [
    {
      title: 'Account',
      phone: 'wide',
      cell: ({ accountId, accountName }) => (
        <Link href={`/support/accounts/${accountId}/billing`} prefetch={false} className={`${classes.link} rg-touch`}>
          {accountName}
        </Link>
      ),
    },
    { title: 'Change', phone: 'wide', cell: ({ change }) => <span className={classes.text}>{describeChange(change)}</span> },
    {
      title: 'Reason',
      phone: 'wide',
      cell: ({ reason }) => <span className={classes.text}>{reason}</span>,
    },
    { title: 'Proposed by', phone: 'wide', cell: ({ proposedEmail }) => proposedEmail },
    { title: 'Proposed', cell: ({ createdAt }) => <RelativeTime date={createdAt} /> },
    { title: 'Expires', cell: ({ expiresAt }) => <RelativeTime date={expiresAt} /> },
    {
      title: 'Actions',
      phone: 'corner',
      cell: (approval) =>
        approval.barred ? (
          <Text c="dimmed" fz="sm" component="span">
            {BARRED[approval.barred]}
          </Text>
        ) : (
          <Group gap={6} wrap="nowrap" justify="flex-end">
            <Button size="compact-sm" variant="default" onClick={() => ask({ approval, approve: false })}>
              Decline
            </Button>
            <Button size="compact-sm" onClick={() => ask({ approval, approve: true })}>
              Approve
            </Button>
          </Group>
        ),
    },
  ]
  return (
    <>
      <PageHeader
        title="Approvals"
        purpose="Large changes to balances, quotas, limits and tiers. Another staff member must approve each one within 7 days."
      />
      {waiting.length > 0 ? (
        <Table label="Approvals" columns={columns} rows={waiting} keyOf={({ id }) => id} />
      ) : (
        <EmptyState framed icon={<IconChecks size={20} />} title="No pending approvals">
          Changes that need a second approval appear here.
        </EmptyState>
      )}
      {dialog && <ApprovalDialog key={dialog.times} {...dialog.subject} {...dialog.props} />}
    </>
  )
}
