'use client'

import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Member, Team } from '#server/modules/identity/members/members'
import { ROLES, type Role } from '#server/permissions'
import { useTRPC } from '../../../../_trpc/client'

/** Changes a member's role at once, and offers to undo it; a refusal by the server reverts it. */
export function useChangeRole(): (member: Member, role: Role) => void {
  const trpc = useTRPC()
  const client = useQueryClient()
  const key = trpc.team.list.queryKey()
  const { mutate } = useMutation(
    trpc.team.changeRole.mutationOptions({
      async onMutate({ userId, role }) {
        await client.cancelQueries({ queryKey: key })
        const before = client.getQueryData<Team>(key)
        const members = before?.members.map((member) => (member.userId === userId ? { ...member, role } : member))
        if (before && members) client.setQueryData<Team>(key, { ...before, members })
        return { before }
      },
      onError({ message }, _, context) {
        if (context?.before) client.setQueryData(key, context.before)
        notifications.show({ color: 'red', title: 'The role was not changed', message })
      },
      onSettled: () => client.invalidateQueries(trpc.team.pathFilter()),
    }),
  )

  return ({ userId, email, role: former, you }, role) => {
    const notice = `role-${userId}`
    const undo = () => {
      notifications.hide(notice)
      mutate({ userId, role: former, expected: role })
    }
    const notify = () =>
      notifications.show({
        id: notice,
        autoClose: 8_000,
        withBorder: true,
        message: (
          <Group justify="space-between" wrap="nowrap">
            <span>
              <b>{email}</b> is now {ROLES[role].title}
            </span>
            <Button size="compact-sm" variant="light" onClick={undo}>
              Undo
            </Button>
          </Group>
        ),
      })
    // An owner who gives up their own role cannot undo it: the page changes then.
    mutate({ userId, role, expected: former }, { onSuccess: you ? () => window.location.reload() : notify })
  }
}
