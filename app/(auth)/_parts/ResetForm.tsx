'use client'

import { Button, PasswordInput, Stack } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useHash } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { PASSWORD_MIN } from '#server/account/limits'
import { resetPasswordInput } from '#server/user/schema'
import { useTRPC } from '../../_trpc/client'
import { fieldErrors } from '../../_ui/form-errors'
import { Notice } from '../../_ui/Notice'

const newPassword = resetPasswordInput.pick({ password: true })

/** Takes the link's secret from after the #, where no server and no log ever saw it. */
export function ResetForm() {
  const trpc = useTRPC()
  const [hash] = useHash()
  const reset = useMutation(trpc.user.resetPassword.mutationOptions())
  const form = useForm({ initialValues: { password: '' }, validate: schemaResolver(newPassword, { sync: true }) })

  const submit = form.onSubmit(({ password }) => {
    reset.mutate(
      { token: hash.replace(/^#/, ''), password },
      {
        onSuccess: () => window.location.assign('/sign-in?reset'),
        onError: (error) => {
          const { password } = fieldErrors(error) ?? {}
          if (password) form.setErrors({ password })
        },
      },
    )
  })

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {reset.isError && !form.errors.password && <Notice tone="bad">{reset.error.message}</Notice>}
        <PasswordInput
          label="New password"
          description={`At least ${PASSWORD_MIN} characters. A few random words work well.`}
          autoComplete="new-password"
          autoFocus
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth loading={reset.isPending || reset.isSuccess} mt={4}>
          Save the password
        </Button>
      </Stack>
    </form>
  )
}
