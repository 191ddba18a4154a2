'use client'

import { Modal, PasswordInput, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'

const schema = (name: string) =>
  lazySchema(async () => {
    const { deleteAccountInput } = await import('#server/modules/identity/sign-in/schema')
    const same = (typed: string) => typed === name
    return deleteAccountInput.extend({
      name: deleteAccountInput.shape.name.trim().refine(same, `Type ${name} exactly as shown above.`),
    })
  })

interface Props {
  name: string
  opened: boolean
  onClose: () => void
}

/** Requires the account's name and the user's password before everything is deleted. */
export function DeleteDialog({ name, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Delete “${name}” permanently?`}>
      <Confirm name={name} onClose={onClose} />
    </Modal>
  )
}

function Confirm({ name, onClose }: { name: string; onClose: () => void }) {
  const trpc = useTRPC()
  const form = useForm({ initialValues: { name: '', password: '' }, validate: schemaResolver(schema(name)) })
  const remove = useMutation(
    trpc.account.delete.mutationOptions({
      onSuccess: () => window.location.assign('/sign-up'),
      onError: showAtFields(form),
    }),
  )
  const submit = form.onSubmit(({ name, password }) => remove.mutate({ name: name.trim(), password }))

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FormError error={remove.error} form={form} />
        <TextInput
          label={
            <>
              Type <b>{name}</b> to confirm
            </>
          }
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <PasswordInput
          label="Your password"
          description="Leave empty if you have no password."
          autoComplete="current-password"
          {...form.getInputProps('password')}
        />
        <DialogActions onCancel={onClose} color="red" loading={form.submitting || remove.isPending || remove.isSuccess}>
          Delete account
        </DialogActions>
      </Stack>
    </form>
  )
}
