'use client'

import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { PASSWORD_MIN } from '#server/modules/identity/limits'
import { useTRPC } from '../../../_trpc/client'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'

const schema = lazySchema(async () => (await import('#server/modules/identity/sign-in/schema')).changePasswordInput)

/** Changes the password, or sets the first one of a user who signed up through a provider. */
export function Password({ email, hasPassword }: { email: string; hasPassword: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const form = useForm({ initialValues: { current: '', password: '' }, validate: schemaResolver(schema) })
  const change = useMutation(
    trpc.user.changePassword.mutationOptions({
      onSuccess: async () => {
        form.reset()
        await client.invalidateQueries(trpc.user.pathFilter())
        notifications.show({ message: 'Password changed. You are signed out on all other devices.', withBorder: true })
      },
      onError: showAtFields(form),
    }),
  )

  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))} noValidate>
      {/* For password managers, which store the two together. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <Stack gap="md">
        <FormError error={change.error} form={form} hidden={!hasPassword && 'current'} />
        {hasPassword && (
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            key={form.key('current')}
            {...form.getInputProps('current')}
          />
        )}
        <PasswordInput
          label="New password"
          description={`At least ${PASSWORD_MIN} characters. We recommend several random words.`}
          autoComplete="new-password"
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Group gap="md">
          <Button type="submit" loading={form.submitting || change.isPending}>
            {hasPassword ? 'Change password' : 'Set password'}
          </Button>
          <Text size="xs" c="dimmed">
            Signs you out on all other devices.
          </Text>
        </Group>
      </Stack>
    </form>
  )
}
