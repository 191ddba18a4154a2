'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../_trpc/client'
import { DownloadButton } from '../../_ui/DownloadButton'

/** Saves a receipt as a file: its statement, and the same signed. `about` distinguishes this button from others for screen readers. */
export function DownloadReceipt({ receiptId, about, disabled = false }: { receiptId: string; about?: string; disabled?: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const load = () => client.fetchQuery(trpc.receipt.download.queryOptions({ receiptId }, { staleTime: 0, retry: false }))
  return (
    <DownloadButton load={load} what="receipt" about={about} disabled={disabled}>
      {about ? 'Download' : 'Download receipt'}
    </DownloadButton>
  )
}
