'use client'

import { Button } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { StaffGrant } from '#server/modules/backoffice/support/staff'
import { useTRPC } from '../../../_trpc/client'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusBadge } from '../../../_ui/StatusBadge'
import { type Column, Table } from '../../../_ui/Table'
import { useDialog } from '../../../_ui/use-dialog'
import type { RoleChange } from './RoleDialog'

const RoleDialog = dynamic(() => import('./RoleDialog').then((module) => module.RoleDialog), { ssr: false })

/** Lists operators and support staff, and grants and revokes their roles. */
export function Access() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.operator.listSupport.queryOptions())
  const [dialog, ask] = useDialog<RoleChange>()
  const columns: Column<StaffGrant>[] = [
    { title: 'User', phone: 'wide', cell: ({ email }) => <b style={{ fontWeight: 550, overflowWrap: 'anywhere' }}>{email}</b> },
    {
      title: 'Role',
      cell: ({ role }) => (
        <StatusBadge tone={role === 'operator' ? 'info' : 'neutral'}>{role === 'operator' ? 'Operator' : 'Support'}</StatusBadge>
      ),
    },
    { title: 'Granted', cell: ({ grantedAt }) => <RelativeTime date={grantedAt} /> },
    {
      title: 'Two-factor sign-in',
      cell: ({ hasSecondFactor }) => <StatusBadge tone={hasSecondFactor ? 'good' : 'warn'}>{hasSecondFactor ? 'On' : 'Off'}</StatusBadge>,
    },
    {
      title: 'Action',
      phone: 'corner',
      cell: ({ email, role }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Revoke the role of ${email}`}
          onClick={() => ask({ kind: 'revoke', email, role })}
        >
          Revoke
        </Button>
      ),
    },
  ]
  return (
    <>
      <PageHeader
        title="Access"
        purpose="Operators can use this console and the support pages; support staff only the support pages. Both need two-factor sign-in, unless STAFF_SECOND_FACTOR is optional."
        action={
          <Button leftSection={<IconUserPlus size={15} />} onClick={() => ask({ kind: 'grant' })}>
            Grant a role
          </Button>
        }
      />
      <Table label="Operators and support staff" columns={columns} rows={data} keyOf={({ email }) => email} />
      {dialog && <RoleDialog key={dialog.times} change={dialog.subject} {...dialog.props} />}
    </>
  )
}
