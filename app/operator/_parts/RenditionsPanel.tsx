'use client'

import { Skeleton } from '@mantine/core'
import { IconMovie } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../_trpc/client'
import { Panel } from '../../_ui/Panel'
import { EmptyState } from '../../_ui/page/EmptyState'
import { ErrorState } from '../../_ui/page/ErrorState'
import { RenditionTable } from '../../_ui/RenditionTable'

/** Shows the bytes of all accounts by rendition. Read apart from the status, because it sums every stored rendition. */
export function RenditionsPanel() {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.operator.renditions.queryOptions(undefined, { staleTime: 600_000 }))
  return (
    <Panel title="Bytes by rendition" flush>
      {error && !data ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton height={300} />
      ) : data.renditions.length === 0 ? (
        <EmptyState icon={<IconMovie size={26} />} title="No renditions yet">
          This table fills once the first video is transcoded.
        </EmptyState>
      ) : (
        <RenditionTable renditions={data.renditions} delivered={`Delivered, ${data.days} days`} />
      )}
    </Panel>
  )
}
