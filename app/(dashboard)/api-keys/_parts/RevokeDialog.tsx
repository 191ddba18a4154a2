'use client'

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { LastHour } from '../../_parts/keys/LastHour'

/** Requires the key's name before it is revoked: a revocation cannot be undone, and clients may be using the key. */
export function RevokeDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const revoke = useMutation(trpc.key.revoke.mutationOptions())
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const confirm = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() !== subject.name) return setProblem(`Type ${subject.name} exactly as shown above.`)
    revoke.mutate(
      { keyId: subject.id },
      {
        onSuccess() {
          void client.invalidateQueries(trpc.key.pathFilter())
          void client.invalidateQueries(trpc.account.overview.pathFilter())
          onClose()
        },
      },
    )
  }

  return (
    <Modal opened={opened} onClose={onClose} title={`Revoke “${subject.name}”?`}>
      <form onSubmit={confirm} noValidate>
        <Stack gap="md">
          {revoke.isError && <Notice tone="bad">{revoke.error.message}</Notice>}
          <LastHour keyId={subject.id} opened={opened} />
          <Text>
            Requests with{' '}
            <Text span ff="monospace" fz="sm">
              {subject.prefix}…
            </Text>{' '}
            are refused immediately. This cannot be undone. Playback tokens that the key issued stay valid until they expire (at most 5
            minutes), and open playback sessions continue. To stop them, use End playback.
          </Text>
          <TextInput
            label={
              <>
                Type <b>{subject.name}</b> to confirm
              </>
            }
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setProblem(undefined)
            }}
            error={problem}
            autoComplete="off"
            data-autofocus
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button color="red" type="submit" loading={revoke.isPending}>
              Revoke key
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
