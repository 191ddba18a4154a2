'use client'

import { Button, Stack, Text } from '@mantine/core'
import dynamic from 'next/dynamic'
import { useDialog } from '../../../_ui/use-dialog'

const DeleteDialog = dynamic(() => import('./DeleteDialog').then((module) => module.DeleteDialog), { ssr: false })

/** Deletes the account, the only irreversible action of this page. */
export function DeleteAccount({ name }: { name: string }) {
  const [dialog, ask] = useDialog()
  return (
    <Stack gap="md" align="flex-start">
      <Text size="sm">
        Permanently deletes all videos and media, API keys and usage data, and members who belong to no other account. Keys, tokens and
        players stop working immediately, and you lose remaining credits. You cannot undo this. We keep ledger entries for accounting.
      </Text>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => ask()}>
        Delete account…
      </Button>
      {dialog && <DeleteDialog key={dialog.times} name={name} {...dialog.props} />}
    </Stack>
  )
}
