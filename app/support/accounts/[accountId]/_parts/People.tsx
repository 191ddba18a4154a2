'use client'

import { ActionIcon, Menu } from '@mantine/core'
import { IconBan, IconDots, IconLogout, IconRotate } from '@tabler/icons-react'
import type { SupportAccount } from '#server/modules/backoffice/support/account'
import { useTRPC } from '../../../../_trpc/client'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { type Column, Table } from '../../../../_ui/Table'
import classes from '../../../_parts/Lists.module.css'
import { useReason } from '../../../_parts/use-reason'

type Member = SupportAccount['members'][number]

/** Lists the members of an account, and suspends, restores and ends their sign-in. */
export function People({ accountId, members }: { accountId: string; members: Member[] }) {
  const trpc = useTRPC()
  const { ask, dialog } = useReason(trpc.support.person.mutationOptions())
  const suspend = ({ userId, email }: Member) =>
    ask({
      title: `Suspend sign-in for ${email}?`,
      description: 'We sign them out of all devices, and they cannot sign in. Their accounts and API keys keep working.',
      confirm: 'Suspend sign-in',
      harms: true,
      done: `${email} can no longer sign in.`,
      input: { accountId, userId, what: 'suspend' },
    })
  const restore = ({ userId, email }: Member) =>
    ask({
      title: `Restore sign-in for ${email}?`,
      description: 'They can sign in again.',
      confirm: 'Restore sign-in',
      done: `${email} can sign in again.`,
      input: { accountId, userId, what: 'restore' },
    })
  const endSessions = ({ userId, email }: Member) =>
    ask({
      title: `End all sessions of ${email}?`,
      description: 'We sign them out of all devices. They can sign in again.',
      confirm: 'End sessions',
      harms: true,
      done: `${email} is signed out of all devices.`,
      input: { accountId, userId, what: 'end-sessions' },
    })
  const columns: Column<Member>[] = [
    {
      title: 'Email',
      phone: 'wide',
      cell: ({ email, suspendedAt, suspensionReason }) => (
        <>
          {email}
          {suspendedAt && (
            <div className={classes.reason}>
              <StatusBadge tone="bad">Suspended</StatusBadge> {suspensionReason}
            </div>
          )}
        </>
      ),
    },
    { title: 'Role', cell: ({ role }) => role.charAt(0) + role.slice(1).toLowerCase() },
    { title: 'Joined', cell: ({ since }) => <RelativeTime date={since} /> },
    {
      title: 'Actions',
      phone: 'corner',
      width: 48,
      cell: (member) => (
        <Menu position="bottom-end" width={190}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.email}`}>
              <IconDots size={17} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => endSessions(member)}>
              End sessions
            </Menu.Item>
            {member.suspendedAt ? (
              <Menu.Item leftSection={<IconRotate size={15} />} onClick={() => restore(member)}>
                Restore sign-in
              </Menu.Item>
            ) : (
              <Menu.Item color="red" leftSection={<IconBan size={15} />} onClick={() => suspend(member)}>
                Suspend sign-in
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      ),
    },
  ]
  return (
    <>
      <Table label="Members" columns={columns} rows={members} keyOf={({ userId }) => userId} />
      {dialog}
    </>
  )
}
