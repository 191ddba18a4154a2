'use client'

import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import dynamic from 'next/dynamic'
import { useState } from 'react'

const DeleteDialog = dynamic(() => import('./DeleteDialog').then((module) => module.DeleteDialog), { ssr: false })

/** Deletes the account, the only irreversible action of this page. */
export function DeleteAccount({ name }: { name: string }) {
  const [opened, dialog] = useDisclosure(false)
  const [asked, setAsked] = useState(false)
  const open = () => {
    setAsked(true)
    dialog.open()
  }
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">
        Permanently deletes all videos and media, API keys and usage data, and members who belong to no other account. Keys, tokens and
        players stop working immediately, and remaining credits are lost. This cannot be undone. Ledger entries are kept for accounting.
      </Text>
      <Button variant="default" c="var(--mantine-color-error)" onClick={open}>
        Delete account…
      </Button>
      {asked && <DeleteDialog name={name} opened={opened} onClose={dialog.close} />}
    </Stack>
  )
}
