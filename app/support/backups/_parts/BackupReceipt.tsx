'use client'

import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { DownloadButton } from '../../../_ui/DownloadButton'

/** Saves the signed receipt of a test restore as a file. */
export function BackupReceipt({ receiptId, about }: { receiptId: string; about: string }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const load = () => client.fetchQuery(trpc.support.backupReceipt.queryOptions({ receiptId }, { staleTime: 0, retry: false }))
  return (
    <DownloadButton load={load} what="receipt" about={about}>
      Download
    </DownloadButton>
  )
}
