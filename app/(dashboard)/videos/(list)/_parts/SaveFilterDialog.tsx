'use client'

import { Checkbox, Modal, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../../_trpc/client'
import { DialogActions } from '../../../../_ui/form/DialogActions'
import { FormError } from '../../../../_ui/form/FormError'
import { showAtFields } from '../../../../_ui/form/form-errors'
import { lazySchema } from '../../../../_ui/form/lazy-schema'
import { useForm } from '../../../../_ui/form/use-form'

const schema = lazySchema(async () =>
  (await import('#server/modules/dashboard/library/filter-schema')).saveFilterInput.pick({ name: true, shared: true }),
)

interface Props {
  opened: boolean
  onClose: () => void
  /** The query of the address. */
  query: string
  mayShare: boolean
}

/** Saves what the list shows under a name, for the member or the team. */
export function SaveFilterDialog({ opened, onClose, query, mayShare }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const form = useForm({ initialValues: { name: '', shared: false }, validate: schemaResolver(schema) })
  const save = useMutation(
    trpc.library.saveFilter.mutationOptions({
      onSuccess: () => {
        form.reset()
        onClose()
        return client.invalidateQueries(trpc.library.filters.pathFilter())
      },
      onError: showAtFields(form),
    }),
  )
  return (
    <Modal opened={opened} onClose={onClose} title="Save current filter">
      <form onSubmit={form.onSubmit((values) => save.mutate({ ...values, query }))} noValidate>
        <Stack gap="md">
          <FormError error={save.error} form={form} />
          <TextInput label="Name" description="Replaces a filter with the same name." data-autofocus {...form.getInputProps('name')} />
          {mayShare && <Checkbox label="Share with the team" {...form.getInputProps('shared', { type: 'checkbox' })} />}
          <DialogActions onCancel={onClose} loading={form.submitting || save.isPending}>
            Save filter
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
