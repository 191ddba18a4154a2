'use client'

import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'next/navigation'
import { useTRPC } from '../../../../_trpc/client'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { DownloadReceipt } from '../../../_parts/DownloadReceipt'

/** Shows when a permanently deleted video was deleted, and its receipt. Nothing for any other address. */
export function DeletionNotice() {
  const trpc = useTRPC()
  const { videoId } = useParams<{ videoId: string }>()
  const { data } = useQuery(trpc.receipt.list.queryOptions({ subject: videoId }))
  const receipt = data?.receipts[0]
  if (!receipt) return null
  return (
    <Group gap="sm" justify="center">
      <Text size="sm">
        {receipt.title ? `“${receipt.title}”` : 'A video'} with this ID was permanently deleted <RelativeTime date={receipt.at} />.
      </Text>
      <DownloadReceipt receiptId={receipt.id} disabled={!receipt.ready} />
    </Group>
  )
}
