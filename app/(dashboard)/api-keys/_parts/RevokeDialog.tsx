'use client'

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedKey } from '#server/key/list'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'

/** Asks before a key is revoked: it cannot be undone, and something may be using it this second. */
export function RevokeDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const revoke = useMutation(trpc.key.revoke.mutationOptions())
  const confirm = () =>
    revoke.mutate(
      { keyId: subject.id },
      {
        onSuccess: () => {
          void client.invalidateQueries(trpc.key.pathFilter())
          void client.invalidateQueries(trpc.account.overview.pathFilter())
          onClose()
        },
      },
    )

  return (
    <Modal opened={opened} onClose={onClose} title={`Revoke “${subject.name}”?`}>
      <Stack gap="md">
        {revoke.isError && <Notice tone="bad">{revoke.error.message}</Notice>}
        <Text>
          Requests with{' '}
          <Text span ff="monospace" fz="sm">
            {subject.prefix}…
          </Text>{' '}
          are refused from this moment on. This cannot be undone. Playback tokens it has issued stay valid until they expire, at most 5
          minutes.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={revoke.isPending} onClick={confirm}>
            Revoke key
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
