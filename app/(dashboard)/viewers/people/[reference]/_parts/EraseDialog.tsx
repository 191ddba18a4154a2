'use client'

import { Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Person } from '#server/modules/dashboard/people/people'
import { useTRPC } from '../../../../../_trpc/client'
import { DialogActions } from '../../../../../_ui/form/DialogActions'
import { FormError } from '../../../../../_ui/form/FormError'
import { useForm } from '../../../../../_ui/form/use-form'

interface Props {
  person: Person
  opened: boolean
  onClose: () => void
  onErased: (receiptId: string) => void
}

/** Requires the viewer's ID before everything about them is deleted. */
export function EraseDialog({ person: { reference, id }, opened, onClose, onErased }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const erase = useMutation(
    trpc.viewing.erasePerson.mutationOptions({
      onSuccess({ receiptId }) {
        onErased(receiptId)
        client.removeQueries(trpc.viewing.person.pathFilter())
        client.removeQueries(trpc.viewing.personVideos.pathFilter())
        void client.invalidateQueries(trpc.viewing.people.pathFilter())
      },
    }),
  )
  const form = useForm({
    initialValues: { id: '' },
    validate: { id: (typed) => (typed.trim() === id.trim() ? null : 'Type the ID exactly as shown above.') },
  })
  return (
    <Modal opened={opened} onClose={onClose} title={`Erase “${id}”?`}>
      <form onSubmit={form.onSubmit(() => erase.mutate({ reference }))} noValidate>
        <Stack gap="md">
          <FormError error={erase.error} form={form} />
          <Text>
            This deletes the viewer’s ID, sessions and viewing history. You cannot undo it: if an older backup is restored, we erase the
            viewer again. You get a signed receipt.
          </Text>
          <Text>Their sessions end immediately. If you name them in another token request, they start over as a new viewer.</Text>
          <TextInput
            label={
              <>
                Type{' '}
                <bdi>
                  <b>{id}</b>
                </bdi>{' '}
                to confirm
              </>
            }
            labelProps={{ style: { overflowWrap: 'anywhere' } }}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus
            {...form.getInputProps('id')}
          />
          <DialogActions onCancel={onClose} color="red" loading={erase.isPending}>
            Erase viewer
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
