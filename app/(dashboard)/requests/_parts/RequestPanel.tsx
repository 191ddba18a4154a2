'use client'

import { Drawer, Skeleton, Stack } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { EndpointName } from '../../../_endpoints'
import { useTRPC } from '../../../_trpc/client'
import { ErrorState } from '../../../_ui/ErrorState'
import { Explained } from './Explained'
import classes from './Explained.module.css'

/** One call explained, beside the log; it has an address of its own. */
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
  // What was shown stays while the panel closes.
  const [shownId, setShownId] = useState(requestId)
  useEffect(() => {
    if (requestId) setShownId(requestId)
  }, [requestId])
  const isPhone = useMediaQuery('(max-width: 48em)')
  const { data, error, refetch } = useQuery(
    trpc.traffic.explain.queryOptions({ requestId: shownId ?? '' }, { enabled: shownId !== undefined, staleTime: 60_000 }),
  )
  return (
    <Drawer
      opened={requestId !== undefined}
      onClose={onClose}
      position="right"
      size={isPhone ? '100%' : 600}
      title="Why this answer"
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 150 }}
      classNames={{ content: classes.panel, header: classes.panelHead, title: classes.panelTitle }}
    >
      {error ? (
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
