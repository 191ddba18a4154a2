'use client'

import { PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { secondFactorInput } from '#server/modules/identity/sign-in/schema'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'

/** Requires both factors once more. */
export function TurnOffTotp({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const form = useForm({ initialValues: { password: '', code: '' }, validate: schemaResolver(secondFactorInput, { sync: true }) })
  const turnOff = useMutation(trpc.user.turnOffTotp.mutationOptions({ onSuccess: onClose, onError: showAtFields(form) }))
  return (
    <form onSubmit={form.onSubmit((values) => turnOff.mutate(values))} noValidate>
      <Stack gap="md">
        <FormError error={turnOff.error} form={form} hidden={!hasPassword && 'password'} />
        <Text size="sm">You will sign in without a second factor. Your recovery codes are deleted.</Text>
        {hasPassword && (
          <PasswordInput label="Your password" autoComplete="current-password" data-autofocus {...form.getInputProps('password')} />
        )}
        <TextInput label="Authentication code or recovery code" autoComplete="one-time-code" {...form.getInputProps('code')} />
        <DialogActions onCancel={onClose} color="red" loading={turnOff.isPending}>
          Turn off
        </DialogActions>
      </Stack>
    </form>
  )
}
