'use client'

import { Checkbox, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { useForm } from '../../../_ui/form/use-form'
import { LastHour } from '../../_parts/keys/LastHour'
import { stillWorking } from '../../_parts/keys/rotations'
import { WorkingPredecessors } from './WorkingPredecessors'

/** Requires the key's name before it is revoked: a revocation cannot be undone, and clients may be using the key. */
export function RevokeDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const revoke = useMutation(trpc.key.revoke.mutationOptions())
  const overlaps = stillWorking(subject)
  const form = useForm({
    initialValues: { name: '', previous: overlaps.length > 0 },
    validate: { name: (name) => (name.trim() === subject.name ? null : `Type ${subject.name} exactly as shown above.`) },
  })
  const confirm = form.onSubmit(async ({ previous }) => {
    const keys = [...(previous ? overlaps : []), subject]
    try {
      // The keys that were replaced first: after an error, the dialog's own key still works and can be tried again.
      for (const { id } of keys) await revoke.mutateAsync({ keyId: id })
    } catch {
      // Shown above the form.
      return
    } finally {
      void client.invalidateQueries(trpc.key.pathFilter())
      void client.invalidateQueries(trpc.account.overview.pathFilter())
    }
    onClose()
  })

  return (
    <Modal opened={opened} onClose={onClose} title={`Revoke “${subject.name}”?`}>
      <form onSubmit={confirm} noValidate>
        <Stack gap="md">
          <FormError error={revoke.error} form={form} />
          <LastHour keyId={subject.id} opened={opened} />
          <Text>
            Requests with{' '}
            <Text span ff="monospace" fz="sm">
              {subject.prefix}…
            </Text>{' '}
            fail immediately. You cannot undo this. Playback tokens that the key issued stay valid until they expire (at most 5 minutes),
            and open playback sessions continue. To stop them, use End playback.
          </Text>
          {overlaps.length > 0 && (
            <Checkbox
              label={
                <>
                  Also revoke the previous key <WorkingPredecessors keys={overlaps} />
                </>
              }
              description="It still works because this key was rotated."
              {...form.getInputProps('previous', { type: 'checkbox' })}
            />
          )}
          <TextInput
            label={
              <>
                Type <b>{subject.name}</b> to confirm
              </>
            }
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <DialogActions onCancel={onClose} color="red" loading={revoke.isPending}>
            Revoke key
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
