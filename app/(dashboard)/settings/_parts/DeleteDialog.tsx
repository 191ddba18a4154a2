'use client'

import { Button, Group, Modal, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTRPC } from '../../../_trpc/client'
import { fieldErrors, schemaErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'

interface Props {
  name: string
  opened: boolean
  onClose: () => void
}

/** Requires the account's name and the user's password before everything is deleted. */
export function DeleteDialog({ name, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Delete “${name}” permanently?`}>
      <Confirm name={name} onClose={onClose} />
    </Modal>
  )
}

function Confirm({ name, onClose }: { name: string; onClose: () => void }) {
  const trpc = useTRPC()
  const [typed, setTyped] = useState('')
  const [password, setPassword] = useState('')
  const [problems, setProblems] = useState<Record<string, string>>({})
  const remove = useMutation(trpc.account.delete.mutationOptions({ onSuccess: () => window.location.assign('/sign-up') }))
  const fields = remove.isError ? fieldErrors(remove.error) : undefined
  const send = async () => {
    const { deleteAccountInput } = await import('#server/modules/auth/schema')
    const checked = deleteAccountInput.safeParse({ name: typed.trim(), password })
    const found = schemaErrors(checked)
    if (typed.trim() !== name) found.name = `Type ${name} exactly as shown above.`
    setProblems(found)
    if (checked.success && !found.name) remove.mutate(checked.data)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send()
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
            setProblems({})
          }}
          error={problems.name ?? fields?.name}
          autoComplete="off"
          data-autofocus
        />
        <PasswordInput
          label="Your password"
          description="Leave empty if you have no password."
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problems.password ?? fields?.password}
          autoComplete="current-password"
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" type="submit" loading={remove.isPending || remove.isSuccess}>
            Delete account
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
