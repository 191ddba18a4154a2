'use client'

import { Anchor, Button, Group, PinInput, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useState } from 'react'
import { secondFactorInput } from '#server/modules/identity/sign-in/schema'
import { useForm } from '../../_ui/form/use-form'
import { Notice } from '../../_ui/Notice'
import { giveCode, restartSignIn, safePath } from './session'

/** Runs the second step of a sign-in; redirects to `from` when the code is right. */
export function CodeForm({ from }: { from: string | undefined }) {
  const [recovery, setRecovery] = useState(false)
  const form = useForm({ initialValues: { code: '' }, validate: schemaResolver(secondFactorInput, { sync: true }) })
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const wrong = form.errors.code

  const give = async ({ code }: { code: string }) => {
    setBusy(true)
    const problem = await giveCode(code)
    setProblem(problem)
    if (!problem) return window.location.assign(safePath(from))
    setBusy(false)
    form.reset()
  }
  const change = () => {
    setRecovery(!recovery)
    form.reset()
    setProblem(undefined)
  }

  return (
    <form onSubmit={form.onSubmit(give)} noValidate>
      <Stack gap="md">
        {problem && <Notice tone="bad">{problem}</Notice>}
        {recovery ? (
          <TextInput
            label="Recovery code"
            description="Enter one of your recovery codes. Each code works once."
            placeholder="xxxx-xxxx-xxxx-xxxx"
            autoComplete="off"
            autoFocus
            {...form.getInputProps('code')}
          />
        ) : (
          <div>
            <Text component="label" htmlFor="code" size="sm" fw={500} display="block" mb={4}>
              Code from your authenticator app
            </Text>
            <PinInput
              id="code"
              data-path="code"
              length={6}
              type="number"
              inputMode="numeric"
              oneTimeCode
              autoFocus
              aria-label="Digit of the code"
              value={form.values.code}
              onChange={(code) => form.setFieldValue('code', code)}
              onComplete={(code) => void give({ code })}
              error={wrong !== undefined}
              aria-describedby={wrong ? 'code-problem' : undefined}
            />
            {wrong && (
              <Text id="code-problem" role="alert" size="xs" c="var(--mantine-color-error)" mt={6}>
                {wrong}
              </Text>
            )}
          </div>
        )}
        <Button type="submit" fullWidth loading={busy} mt={4}>
          Sign in
        </Button>
        <Group justify="space-between" gap="xs">
          <Anchor component="button" type="button" size="sm" underline="always" onClick={change}>
            {recovery ? 'Use the authenticator app' : 'Use a recovery code'}
          </Anchor>
          <Anchor component="button" type="button" size="sm" underline="always" onClick={() => void restartSignIn()}>
            Start over
          </Anchor>
        </Group>
      </Stack>
    </form>
  )
}
