'use client'

import { ActionIcon, Menu, Select } from '@mantine/core'
import { IconDoorExit, IconDots, IconUserMinus } from '@tabler/icons-react'
import type { Member } from '#server/modules/identity/members/members'
import { ROLE_NAMES, ROLES, type Role } from '#server/permissions'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { type Column, Table } from '../../../../_ui/Table'
import { useDialog } from '../../../../_ui/use-dialog'
import { PartDialog } from './PartDialog'
import { Person } from './Person'
import { useChangeRole } from './use-change-role'

const CHOICES = ROLE_NAMES.map((role) => ({ value: role, label: ROLES[role].title }))

/** Lists the members; owners change roles in the row, and every member may leave. */
export function Members({ members, mayChange }: { members: Member[]; mayChange: boolean }) {
  const [parting, part] = useDialog<Member>()
  const changeRole = useChangeRole()
  const onlyOwner = members.filter(({ role }) => role === 'OWNER').length === 1

  const columns: Column<Member>[] = [
    { title: 'Member', phone: 'wide', cell: ({ email, you }) => <Person email={email} you={you} /> },
    {
      title: 'Role',
      width: 170,
      cell: (member) =>
        mayChange && !(onlyOwner && member.role === 'OWNER') ? (
          <Select
            aria-label={`Role of ${member.email}`}
            data={CHOICES}
            value={member.role}
            onChange={(role) => role && changeRole(member, role as Role)}
            allowDeselect={false}
            checkIconPosition="right"
            w={132}
            size="xs"
          />
        ) : (
          ROLES[member.role].title
        ),
    },
    ...(mayChange
      ? [
          {
            title: 'Two-factor',
            cell: ({ secondFactor }: Member) => (
              <StatusBadge tone={secondFactor ? 'good' : 'neutral'}>{secondFactor ? 'On' : 'Off'}</StatusBadge>
            ),
          },
        ]
      : []),
    { title: 'Joined', cell: ({ since }) => <RelativeTime date={since} /> },
    { title: 'Last seen', cell: ({ lastSeenAt }) => (lastSeenAt ? <RelativeTime date={lastSeenAt} /> : 'never') },
    {
      title: 'Actions',
      phone: 'corner',
      width: 48,
      cell: (member) =>
        (member.you ? !(onlyOwner && member.role === 'OWNER') : mayChange) && (
          <Menu position="bottom-end" width={200}>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.email}`}>
                <IconDots size={17} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item
                color="red"
                leftSection={member.you ? <IconDoorExit size={15} /> : <IconUserMinus size={15} />}
                onClick={() => part(member)}
              >
                {member.you ? 'Leave account' : 'Remove member'}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ),
    },
  ]

  return (
    <>
      <Table label="Members" columns={columns} rows={members} keyOf={({ userId }) => userId} />
      {parting && <PartDialog member={parting.subject} {...parting.props} />}
    </>
  )
}
