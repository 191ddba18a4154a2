'use client'

import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { OpenInvitation } from '#server/modules/identity/members/members'
import { ROLES } from '#server/permissions'
import { useTRPC } from '../../../../_trpc/client'
import { fieldErrors } from '../../../../_ui/form/form-errors'
import { SecretDialog } from '../../../../_ui/form/SecretDialog'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { type Column, Table } from '../../../../_ui/Table'
import type { Tone } from '../../../../_ui/theme'
import { InvitationLink } from '../../../_parts/team/InvitationLink'
import { Person } from './Person'
import classes from './Team.module.css'

const CodeDialog = dynamic(() => import('./CodeDialog').then((module) => module.CodeDialog), { ssr: false })

/** Lists the open invitations; a new link replaces a lost one. */
export function Invitations({ invitations, mayChange }: { invitations: OpenInvitation[]; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const options = {
    onSettled: () => client.invalidateQueries(trpc.team.pathFilter()),
    onError: ({ message }: { message: string }) => notifications.show({ color: 'red', title: 'Something went wrong', message }),
  }
  /** The invitation whose renewal needs a two-factor code. */
  const [asked, setAsked] = useState<Pick<OpenInvitation, 'email' | 'role'>>()
  const renew = useMutation(
    trpc.team.invite.mutationOptions({
      ...options,
      onSuccess() {
        setAsked(undefined)
        setOpen(true)
      },
      onError(error, { email, role }) {
        if (fieldErrors(error)?.code) setAsked({ email, role })
        else options.onError(error)
      },
    }),
  )
  const withdraw = useMutation(trpc.team.revokeInvitation.mutationOptions(options))

  const columns: Column<OpenInvitation>[] = [
    { title: 'Email', phone: 'wide', cell: ({ email }) => <Person email={email} /> },
    { title: 'Role', cell: ({ role }) => ROLES[role].title },
    { title: 'Invited by', cell: ({ invitedBy }) => <span className={classes.by}>{invitedBy}</span> },
    { title: 'Delivery', cell: ({ delivery }) => <Delivery delivery={delivery} /> },
    {
      title: 'Expires',
      cell: ({ expiresAt, expired }) =>
        expired ? (
          <span className={classes.late}>
            expired <RelativeTime date={expiresAt} />
          </span>
        ) : (
          <RelativeTime date={expiresAt} />
        ),
    },
    ...(mayChange
      ? [
          {
            title: 'Actions',
            phone: 'bare' as const,
            width: 200,
            cell: ({ id, email, role, delivery }: OpenInvitation) => (
              <Group gap={6} wrap="nowrap">
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={renew.isPending && renew.variables.email === email}
                  onClick={() => renew.mutate({ email, role })}
                  aria-label={delivery === 'link' ? `Create new link for ${email}` : `Resend invitation to ${email}`}
                >
                  {delivery === 'link' ? 'Create new link' : 'Resend'}
                </Button>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  c="var(--mantine-color-error)"
                  loading={withdraw.isPending && withdraw.variables.invitationId === id}
                  onClick={() => withdraw.mutate({ invitationId: id })}
                  aria-label={`Withdraw invitation of ${email}`}
                >
                  Withdraw
                </Button>
              </Group>
            ),
          },
        ]
      : []),
  ]

  return (
    <>
      <Table label="Invitations" columns={columns} rows={invitations} keyOf={({ id }) => id} muted={({ expired }) => expired} />
      {asked && (
        <CodeDialog
          title={`Invite ${asked.email} again`}
          busy={renew.isPending}
          problem={renew.variables?.code === undefined ? undefined : renew.error?.message}
          opened
          onClose={() => setAsked(undefined)}
          onCode={(code) => renew.mutate({ ...asked, code })}
        />
      )}
      <SecretDialog
        opened={open}
        onClose={() => setOpen(false)}
        title={renew.data?.url === null ? 'Invitation resent' : 'New invitation link'}
      >
        {renew.data && <InvitationLink invited={renew.data} email={renew.variables?.email ?? ''} onDone={() => setOpen(false)} />}
      </SecretDialog>
    </>
  )
}

const DELIVERIES = {
  link: { tone: 'neutral', label: 'Link not sent' },
  sending: { tone: 'info', label: 'Sending' },
  retrying: { tone: 'warn', label: 'Delivery failed, retrying' },
  undelivered: { tone: 'bad', label: 'Delivery failed' },
  sent: { tone: 'good', label: 'Sent' },
} as const satisfies Record<OpenInvitation['delivery'], { tone: Tone; label: string }>

function Delivery({ delivery }: Pick<OpenInvitation, 'delivery'>) {
  const { tone, label } = DELIVERIES[delivery]
  return (
    <StatusBadge tone={tone} live={delivery === 'sending'}>
      {label}
    </StatusBadge>
  )
}
