'use client'

import { Button, PasswordInput, Stack } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useHash } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { PASSWORD_MIN } from '#server/modules/identity/limits'
import { finishSignUpInput } from '#server/modules/identity/sign-in/schema'
import { useTRPC } from '../../_trpc/client'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { useForm } from '../../_ui/form/use-form'
import { signIn } from './session'

const newPassword = finishSignUpInput.pick({ password: true })

/** Reads the link's secret after the #, which no server and no log receives; creates the account and signs in to it. */
export function FinishSignUpForm() {
  const trpc = useTRPC()
  const [hash] = useHash()
  const finish = useMutation(trpc.account.finishSignUp.mutationOptions())
  const form = useForm({ initialValues: { password: '' }, validate: schemaResolver(newPassword, { sync: true }) })
  const [leaving, setLeaving] = useState(false)

  const submit = form.onSubmit(({ password }) => {
    finish.mutate(
      { token: hash.replace(/^#/, ''), password },
      {
        onSuccess: async ({ email }) => {
          setLeaving(true)
          const problem = await signIn(email, password)
          window.location.assign(problem ? '/sign-in' : '/')
        },
        onError: showAtFields(form),
      },
    )
  })

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FormError error={finish.error} form={form} />
        <PasswordInput
          label="Choose a password"
          description={`At least ${PASSWORD_MIN} characters. We recommend several random words.`}
          autoComplete="new-password"
          autoFocus
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth loading={finish.isPending || leaving} mt={4}>
          Create account
        </Button>
      </Stack>
    </form>
  )
}
