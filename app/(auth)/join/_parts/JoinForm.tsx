'use client'

import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { PASSWORD_MIN } from '#server/modules/identity/limits'
import { joinInput } from '#server/modules/identity/sign-in/schema'
import { useTRPC } from '../../../_trpc/client'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import { signIn } from '../../_parts/session'

const newPassword = joinInput.pick({ password: true })

interface Props {
  /** The page's own path, to return to. */
  here: string
  token: string
  email: string
  onJoined: () => void
}

/** Signs up the invited user as a member of the account; sends a user who signed up before to the sign-in page. */
export function JoinForm({ here, token, email, onJoined }: Props) {
  const trpc = useTRPC()
  const join = useMutation(trpc.team.join.mutationOptions())
  const form = useForm({ initialValues: { password: '' }, validate: schemaResolver(newPassword, { sync: true }) })
  const [leaving, setLeaving] = useState(false)
  const signInAddress = `/sign-in?from=${here}`

  const submit = form.onSubmit((values) =>
    join.mutate(
      { token, ...values },
      {
        onSuccess: async () => {
          setLeaving(true)
          const problem = await signIn(email, values.password)
          if (problem) window.location.assign('/sign-in')
          else onJoined()
        },
        onError: showAtFields(form),
      },
    ),
  )

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FormError error={join.error} form={form} />
        <TextInput label="Email" type="email" autoComplete="username" readOnly value={email} />
        <PasswordInput
          label="Choose a password"
          description={`At least ${PASSWORD_MIN} characters. We recommend several random words.`}
          autoComplete="new-password"
          autoFocus
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth loading={join.isPending || leaving} mt={4}>
          Create account and join
        </Button>
        <Text size="sm" c="dimmed" ta="center">
          Already have an account?{' '}
          <Anchor underline="always" href={signInAddress}>
            Sign in to accept
          </Anchor>
        </Text>
      </Stack>
    </form>
  )
}
