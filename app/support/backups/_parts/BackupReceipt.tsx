'use client'

import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { download } from '../../../_ui/download'

/** Saves the signed receipt of a drill as a file. */
export function BackupReceipt({ receiptId, about }: { receiptId: string; about: string }) {
  const trpc = useTRPC()
  const fetchReceipt = useMutation(
    trpc.support.backupReceipt.mutationOptions({
      onSuccess: ({ name, content }) => download(name, content, 'application/json'),
      onError: ({ message }) => notifications.show({ color: 'red', title: 'Could not download the receipt', message }),
    }),
  )
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconDownload size={14} />}
      loading={fetchReceipt.isPending}
      aria-label={`Download receipt for ${about}`}
      onClick={() => fetchReceipt.mutate({ receiptId })}
    >
      Download
    </Button>
  )
}
