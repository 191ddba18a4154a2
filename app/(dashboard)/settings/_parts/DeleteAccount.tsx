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
        Deletes every video and its media, every key, all figures, and members who are in no other account. Keys, tokens and players stop
        working at once, and credits that are left are lost. Nothing of it can be brought back. Of the ledger, the bare entries stay, as
        bookkeeping wants.
      </Text>
      <Button color="red" variant="default" onClick={open}>
        Delete this account…
      </Button>
      {asked && <DeleteDialog name={name} opened={opened} onClose={dialog.close} />}
    </Stack>
  )
}
