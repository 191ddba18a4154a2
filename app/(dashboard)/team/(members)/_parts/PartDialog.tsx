'use client'

import { Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Member } from '#server/modules/identity/members/members'
import { useTRPC } from '../../../../_trpc/client'
import { ConfirmDialog } from '../../../_parts/ConfirmDialog'

/** Confirms that a member loses their access, which they cannot restore themselves. */
export function PartDialog({ member, opened, onClose }: { member: Member; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const remove = useMutation(trpc.team.remove.mutationOptions())
  const leave = useMutation(trpc.team.leave.mutationOptions())
  const { error } = member.you ? leave : remove
  const confirm = () => {
    // The session continues in another account: no data of this one stays in the tab.
    if (member.you) return leave.mutate(undefined, { onSuccess: () => window.location.assign('/') })
    remove.mutate(
      { userId: member.userId },
      {
        onSuccess: () => {
          void client.invalidateQueries(trpc.team.pathFilter())
          onClose()
        },
      },
    )
  }

  return (
    <ConfirmDialog
      title={member.you ? 'Leave this account?' : `Remove ${member.email}?`}
      action={member.you ? 'Leave' : 'Remove'}
      opened={opened}
      onClose={onClose}
      onConfirm={confirm}
      busy={remove.isPending || leave.isPending}
      problem={error?.message}
    >
      <Text>
        {member.you
          ? 'You lose access immediately. Only an owner can invite you again. API keys that you generated continue to work.'
          : 'This member loses access immediately on all devices. API keys that they generated continue to work. Revoke the keys that they know.'}
      </Text>
    </ConfirmDialog>
  )
}
