'use client'

import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTRPC } from '../../../_trpc/client'
import { fieldErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'

/** The one thing here that nothing brings back. */
export function DeleteAccount({ name }: { name: string }) {
  const [opened, dialog] = useDisclosure(false)
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">
        Deletes every video and its media, every key, all figures, and members who are in no other account. Keys, tokens and players stop
        working at once, and credits that are left are lost. Nothing of it can be brought back. Of the ledger, the bare entries stay, as
        bookkeeping wants.
      </Text>
      <Button color="red" variant="default" onClick={dialog.open}>
        Delete this account…
      </Button>
      <Modal opened={opened} onClose={dialog.close} title={`Delete “${name}” for good?`}>
        <Confirm name={name} onClose={dialog.close} />
      </Modal>
    </Stack>
  )
}

function Confirm({ name, onClose }: { name: string; onClose: () => void }) {
  const trpc = useTRPC()
  const [typed, setTyped] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const remove = useMutation(trpc.account.delete.mutationOptions({ onSuccess: () => window.location.assign('/sign-up') }))
  const fields = remove.isError ? fieldErrors(remove.error) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() !== name) return setProblem(`Type ${name}, exactly as it is written above.`)
    remove.mutate({ name: typed, password })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {remove.isError && !fields && <Notice tone="bad">{remove.error.message}</Notice>}
        <TextInput
          label={
            <>
              Type <b>{name}</b> to confirm
            </>
          }
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setProblem(undefined)
          }}
          error={problem ?? fields?.name}
          autoComplete="off"
          data-autofocus
        />
        <PasswordInput
          label="Your password"
          description="Leave it empty if you have none."
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fields?.password}
          autoComplete="current-password"
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" type="submit" loading={remove.isPending || remove.isSuccess}>
            Delete for good
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
