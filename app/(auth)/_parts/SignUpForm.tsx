'use client'

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { PASSWORD_MIN } from '#server/modules/identity/limits'
import { signUpInput } from '#server/modules/identity/sign-in/schema'
import { useTRPC } from '../../_trpc/client'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { useForm } from '../../_ui/form/use-form'
import { signIn } from './session'

/** Creates an account and signs in to it. */
export function SignUpForm() {
  const trpc = useTRPC()
  const signUp = useMutation(trpc.account.signUp.mutationOptions())
  const form = useForm({ initialValues: { email: '', password: '' }, validate: schemaResolver(signUpInput, { sync: true }) })
  const [leaving, setLeaving] = useState(false)

  const submit = form.onSubmit((values) => {
    signUp.mutate(values, {
      onSuccess: async () => {
        setLeaving(true)
        // The account exists now: a failed sign-in is reported on the sign-in page.
        const problem = await signIn(values.email, values.password)
        window.location.assign(problem ? '/sign-in' : '/')
      },
      onError: showAtFields(form),
    })
  })

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FormError error={signUp.error} form={form} />
        <TextInput label="Email" type="email" autoComplete="username" autoFocus key={form.key('email')} {...form.getInputProps('email')} />
        <PasswordInput
          label="Password"
          description={`At least ${PASSWORD_MIN} characters. We recommend several random words.`}
          autoComplete="new-password"
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth loading={signUp.isPending || leaving} mt={4}>
          Create account
        </Button>
      </Stack>
    </form>
  )
}
