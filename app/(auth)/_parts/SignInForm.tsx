'use client'

import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useState } from 'react'
import { signInInput } from '#server/modules/identity/sign-in/schema'
import { useForm } from '../../_ui/form/use-form'
import { Notice } from '../../_ui/Notice'
import { safePath, signIn } from './session'

/** Signs in with e-mail and password; redirects to `from` on success. `mail`: a forgotten password can be replaced by e-mail. */
export function SignInForm({ from, mail }: { from: string | undefined; mail: boolean }) {
  const form = useForm({ initialValues: { email: '', password: '' }, validate: schemaResolver(signInInput, { sync: true }) })
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  const submit = form.onSubmit(async ({ email, password }) => {
    setBusy(true)
    const problem = await signIn(email, password)
    setProblem(problem)
    if (!problem) return window.location.assign(safePath(from))
    setBusy(false)
    form.getInputNode('password')?.focus()
  })

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {problem && <Notice tone="bad">{problem}</Notice>}
        <TextInput label="Email" type="email" autoComplete="username" autoFocus key={form.key('email')} {...form.getInputProps('email')} />
        <PasswordInput label="Password" autoComplete="current-password" key={form.key('password')} {...form.getInputProps('password')} />
        <Button type="submit" fullWidth loading={busy} mt={4}>
          Sign in
        </Button>
        {mail && (
          <Anchor href="/forgot-password" size="sm" underline="always" ta="center">
            Forgot your password?
          </Anchor>
        )}
      </Stack>
    </form>
  )
}
