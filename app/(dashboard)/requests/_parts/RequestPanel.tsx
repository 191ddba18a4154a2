'use client'

import { Drawer, Skeleton, Stack } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconListSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EndpointName } from '../../../_endpoints'
import { useTRPC } from '../../../_trpc/client'
import { IdChip } from '../../../_ui/IdChip'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { Explained } from './Explained'
import classes from './Explained.module.css'

/** Explains one call, next to the log, under a separate address. */
export function RequestPanel({
  requestId,
  endpoints,
  onClose,
}: {
  requestId: string | undefined
  endpoints: EndpointName[]
  onClose: () => void
}) {
  const trpc = useTRPC()
  // The panel keeps its content while it closes.
  const [lastId, setLastId] = useState(requestId)
  if (requestId && requestId !== lastId) setLastId(requestId)
  const shownId = requestId ?? lastId
  const isPhone = useMediaQuery('(width < 48em)')
  const { data, error, refetch } = useQuery(
    trpc.traffic.explain.queryOptions({ requestId: shownId ?? '' }, { enabled: shownId !== undefined, staleTime: 60_000 }),
  )
  return (
    <Drawer
      opened={requestId !== undefined}
      onClose={onClose}
      position="right"
      size={isPhone ? '100%' : 600}
      title="Request details"
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 150 }}
      classNames={{ content: classes.panel, header: classes.panelHead, title: classes.panelTitle }}
    >
      {error?.data?.code === 'NOT_FOUND' && shownId ? (
        // Shows the requested id: the id of the dashboard's own request would be mistaken for it.
        <EmptyState icon={<IconListSearch size={20} />} title="Request not found">
          {error.message}
          <br />
          Request ID <IdChip id={shownId} full />
        </EmptyState>
      ) : error ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : data ? (
        <Explained explanation={data} endpoints={endpoints} />
      ) : (
        <Stack role="status" aria-busy="true" aria-label="Loading">
          <Skeleton height={54} />
          <Skeleton height={260} />
          <Skeleton height={160} />
        </Stack>
      )}
    </Drawer>
  )
}
