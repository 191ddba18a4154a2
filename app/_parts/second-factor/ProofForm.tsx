'use client'

import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { TrpcError } from '../../_trpc/client'
import { fieldErrors, schemaErrors } from '../../_ui/form-errors'
import { Notice } from '../../_ui/Notice'

interface Props {
  says: ReactNode
  hasPassword: boolean
  submit: string
  busy: boolean
  error: TrpcError | null
  onProof: (password: string) => void
  onCancel: () => void
}

/** Requires the password before an action that a passer-by at an unlocked screen must not perform. */
export function ProofForm({ says, hasPassword, submit, busy, error, onProof, onCancel }: Props) {
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const fields = error ? fieldErrors(error) : undefined
  const send = async () => {
    const { reauthenticateInput } = await import('#server/modules/auth/schema')
    const checked = reauthenticateInput.safeParse({ password })
    // An empty password is valid only for users who have none, which the schema cannot know.
    const missing = hasPassword && password === '' ? 'Enter your password.' : undefined
    setProblem(missing ?? schemaErrors(checked).password)
    if (checked.success && !missing) onProof(password)
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Stack gap="md">
        {error && !fields?.password && <Notice tone="bad">{error.message}</Notice>}
        <Text size="sm">{says}</Text>
        {hasPassword && (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={problem ?? fields?.password}
            data-autofocus
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={busy}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
