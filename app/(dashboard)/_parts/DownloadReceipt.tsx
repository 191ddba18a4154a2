'use client'

import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDownload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../../_trpc/client'
import { download } from '../../_ui/download'

/** Saves a receipt as a file: its statement, and the same signed. `about` distinguishes this button from others for screen readers. */
export function DownloadReceipt({ receiptId, about, disabled = false }: { receiptId: string; about?: string; disabled?: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const { name, content } = await client.fetchQuery(trpc.receipt.download.queryOptions({ receiptId }, { staleTime: 0, retry: false }))
      download(name, content, 'application/json')
    } catch (error) {
      notifications.show({ color: 'red', title: 'Could not download the receipt', message: (error as Error).message })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconDownload size={14} />}
      loading={busy}
      disabled={disabled}
      aria-label={about ? `Download receipt for ${about}` : undefined}
      onClick={() => void save()}
    >
      {about ? 'Download' : 'Download receipt'}
    </Button>
  )
}
