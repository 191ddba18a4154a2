'use client'

import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { secondFactorInput } from '#server/modules/auth/schema'
import { useTRPC } from '../../../_trpc/client'
import { fieldErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'

/** Requires both factors once more. */
export function TurnOffTotp({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const turnOff = useMutation(trpc.user.turnOffTotp.mutationOptions({ onSuccess: onClose }))
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const fields = turnOff.error ? fieldErrors(turnOff.error) : undefined

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = secondFactorInput.safeParse({ code })
    setProblem(read.error?.issues[0]?.message)
    if (read.success) turnOff.mutate({ password, code })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {turnOff.isError && !fields && <Notice tone="bad">{turnOff.error.message}</Notice>}
        <Text size="sm">You will sign in without a second factor. Your recovery codes are deleted.</Text>
        {hasPassword && (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={fields?.password}
            data-autofocus
          />
        )}
        <TextInput
          label="Authentication code or recovery code"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => {
            setCode(event.currentTarget.value)
            setProblem(undefined)
          }}
          error={problem ?? fields?.code}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" type="submit" loading={turnOff.isPending}>
            Turn off
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
