'use client'

import { Button, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { beginSignUpInput } from '#server/modules/identity/sign-in/schema'
import { useTRPC } from '../../_trpc/client'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { useForm } from '../../_ui/form/use-form'
import { Notice } from '../../_ui/Notice'

/** Requests a sign-up link, where e-mails are verified first. Shows the same text for every address; the e-mail has the details. */
export function BeginSignUpForm() {
  const trpc = useTRPC()
  const form = useForm({ initialValues: { email: '' }, validate: schemaResolver(beginSignUpInput, { sync: true }) })
  const begin = useMutation(trpc.account.beginSignUp.mutationOptions({ onError: showAtFields(form) }))

  if (begin.isSuccess)
    return (
      <Stack gap="md">
        <Notice tone="info">
          Check your email. We sent instructions to {begin.variables.email.trim()}. If they do not arrive, check your spam folder.
        </Notice>
        <Button variant="default" onClick={begin.reset}>
          Use another email
        </Button>
      </Stack>
    )
  return (
    <form onSubmit={form.onSubmit((values) => begin.mutate(values))} noValidate>
      <Stack gap="md">
        <FormError error={begin.error} form={form} />
        <TextInput label="Email" type="email" autoComplete="username" autoFocus key={form.key('email')} {...form.getInputProps('email')} />
        <Button type="submit" fullWidth loading={begin.isPending} mt={4}>
          Email me a link
        </Button>
        <Text size="xs" c="dimmed" ta="center">
          Follow the link to choose a password and create your account.
        </Text>
      </Stack>
    </form>
  )
}
