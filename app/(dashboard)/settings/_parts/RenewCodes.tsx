'use client'

import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { totpCodeInput } from '#server/modules/auth/schema'
import { RecoveryCodes } from '../../../_parts/second-factor/RecoveryCodes'
import { useTRPC } from '../../../_trpc/client'

/** Replaces the remaining recovery codes by ten new ones. */
export function RenewCodes({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC()
  const renew = useMutation(trpc.user.renewRecoveryCodes.mutationOptions())
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  if (renew.data) return <RecoveryCodes codes={renew.data.recoveryCodes} onDone={onClose} />

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = totpCodeInput.safeParse({ code })
    setProblem(read.error?.issues[0]?.message)
    if (read.success) renew.mutate({ code })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">Your current recovery codes stop working.</Text>
        <TextInput
          label="Code from your authenticator app"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => {
            setCode(event.currentTarget.value)
            setProblem(undefined)
          }}
          error={problem ?? renew.error?.message}
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={renew.isPending}>
            Generate codes
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
