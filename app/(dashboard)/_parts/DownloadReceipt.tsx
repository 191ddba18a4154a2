'use client'

import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../_trpc/client'
import { DownloadButton } from '../../_ui/DownloadButton'
import { useShowsContent } from './permissions'

/** Saves a receipt as a file: its statement, and the same signed. `about` distinguishes this button from others for screen readers. */
export function DownloadReceipt({ receiptId, about, disabled = false }: { receiptId: string; about?: string; disabled?: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const shows = useShowsContent()
  const load = () => client.fetchQuery(trpc.receipt.download.queryOptions({ receiptId }, { staleTime: 0, retry: false }))
  if (!shows)
    return (
      <Text size="sm" c="dimmed">
        Not shown to support
      </Text>
    )
  return (
    <DownloadButton load={load} what="receipt" about={about} disabled={disabled}>
      {about ? 'Download' : 'Download receipt'}
    </DownloadButton>
  )
}
