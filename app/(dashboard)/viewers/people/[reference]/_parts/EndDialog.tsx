'use client'

import { List, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Person } from '#server/modules/dashboard/people/people'
import { useTRPC } from '../../../../../_trpc/client'
import { ConfirmDialog } from '../../../../_parts/ConfirmDialog'

interface Props {
  person: Person
  opened: boolean
  onClose: () => void
}

/** Confirms that all sessions of a person are ended. */
export function EndDialog({ person: { reference, id, sessions }, opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const end = useMutation(
    trpc.viewing.endPerson.mutationOptions({
      onSuccess({ ended }) {
        notifications.show({ withBorder: true, message: ended === 1 ? '1 session ended' : `${ended} sessions ended` })
        onClose()
        return Promise.all([trpc.viewing.person, trpc.viewing.people].map((one) => client.invalidateQueries(one.pathFilter())))
      },
    }),
  )
  return (
    <ConfirmDialog
      title={`End ${sessions.length === 1 ? 'the session' : `all ${sessions.length} sessions`} of “${id}”?`}
      action="End sessions"
      opened={opened}
      onClose={onClose}
      onConfirm={() => end.mutate({ reference })}
      busy={end.isPending}
      problem={end.error?.message}
    >
      <Text size="sm">
        We refuse further playlists and content keys immediately, and these sessions stop counting toward the limit. The embed player stops
        within 30 seconds.
      </Text>
      <List size="sm" spacing={6}>
        <List.Item>Playback tokens issued in the last 5 minutes stay valid until they expire and can start new sessions.</List.Item>
        <List.Item>We keep their viewing history. To delete it, erase the viewer.</List.Item>
      </List>
    </ConfirmDialog>
  )
}
