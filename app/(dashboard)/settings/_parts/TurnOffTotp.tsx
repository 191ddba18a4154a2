'use client'

import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { secondFactorInput } from '#server/modules/auth/schema'
import { useTRPC } from '../../../_trpc/client'
import { fieldErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'

/** Requires both factors once more. */
export function TurnOffTotp({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const form = useForm({ initialValues: { password: '', code: '' }, validate: schemaResolver(secondFactorInput, { sync: true }) })
  const turnOff = useMutation(
    trpc.user.turnOffTotp.mutationOptions({ onSuccess: onClose, onError: (error) => form.setErrors(fieldErrors(error) ?? {}) }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => turnOff.mutate(values))} noValidate>
      <Stack gap="md">
        {turnOff.isError && !fieldErrors(turnOff.error) && <Notice tone="bad">{turnOff.error.message}</Notice>}
        <Text size="sm">You will sign in without a second factor. Your recovery codes are deleted.</Text>
        {hasPassword && (
          <PasswordInput label="Your password" autoComplete="current-password" data-autofocus {...form.getInputProps('password')} />
        )}
        <TextInput label="Authentication code or recovery code" autoComplete="one-time-code" {...form.getInputProps('code')} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" type="submit" loading={turnOff.isPending}>
            Turn off
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
