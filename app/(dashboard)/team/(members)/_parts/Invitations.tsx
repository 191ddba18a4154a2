'use client'

import { Button, Group, Modal } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ROLES } from '#server/roles'
import type { OpenInvitation } from '#server/team/list'
import { useTRPC } from '../../../../_trpc/client'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { type Column, Table } from '../../../../_ui/Table'
import { InvitationLink } from '../../../_parts/team/InvitationLink'
import { Person } from './Person'
import classes from './Team.module.css'

/** Invitations nobody has answered; a lost link is replaced by a new one. */
export function Invitations({ invitations, mayChange }: { invitations: OpenInvitation[]; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const options = {
    onSettled: () => client.invalidateQueries(trpc.team.pathFilter()),
    onError: ({ message }: { message: string }) => notifications.show({ color: 'red', title: 'That did not work', message }),
  }
  const renew = useMutation(trpc.team.invite.mutationOptions({ ...options, onSuccess: () => setOpen(true) }))
  const withdraw = useMutation(trpc.team.revokeInvitation.mutationOptions(options))

  const columns: Column<OpenInvitation>[] = [
    { title: 'Invited', phone: 'wide', cell: ({ email }) => <Person email={email} /> },
    { title: 'Role', cell: ({ role }) => ROLES[role].title },
    { title: 'By', cell: ({ invitedBy }) => <span className={classes.by}>{invitedBy}</span> },
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
            phone: 'wide' as const,
            width: 200,
            cell: ({ id, email, role }: OpenInvitation) => (
              <Group gap={6} wrap="nowrap">
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={renew.isPending && renew.variables.email === email}
                  onClick={() => renew.mutate({ email, role })}
                  aria-label={`New link for ${email}`}
                >
                  New link
                </Button>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  loading={withdraw.isPending && withdraw.variables.invitationId === id}
                  onClick={() => withdraw.mutate({ invitationId: id })}
                  aria-label={`Withdraw the invitation of ${email}`}
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
      <Modal opened={open} onClose={() => setOpen(false)} title="New invitation link">
        {renew.data && <InvitationLink invited={renew.data} email={renew.variables?.email ?? ''} onDone={() => setOpen(false)} />}
      </Modal>
    </>
  )
}
