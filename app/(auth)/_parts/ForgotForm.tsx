'use client'

import { Button, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { requestResetInput } from '#server/modules/identity/sign-in/schema'
import { useTRPC } from '../../_trpc/client'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { useForm } from '../../_ui/form/use-form'
import { Notice } from '../../_ui/Notice'

/** Requests a link for a new password. Shows the same text whether or not the address has an account. */
export function ForgotForm() {
  const trpc = useTRPC()
  const form = useForm({ initialValues: { email: '' }, validate: schemaResolver(requestResetInput, { sync: true }) })
  const request = useMutation(trpc.user.requestPasswordReset.mutationOptions({ onError: showAtFields(form) }))

  if (request.isSuccess)
    return (
      <Notice tone="info">If an account exists for this email, we sent a link to it. If it does not arrive, check your spam folder.</Notice>
    )
  return (
    <form onSubmit={form.onSubmit((values) => request.mutate(values))} noValidate>
      <Stack gap="md">
        <FormError error={request.error} form={form} />
        <TextInput label="Email" type="email" autoComplete="username" autoFocus key={form.key('email')} {...form.getInputProps('email')} />
        <Button type="submit" fullWidth loading={request.isPending} mt={4}>
          Email me a link
        </Button>
      </Stack>
    </form>
  )
}
