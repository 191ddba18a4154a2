'use client'

import { ActionIcon, Drawer, Skeleton, Stack, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp, IconListSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { EndpointName } from '../../../_endpoints'
import { useTRPC } from '../../../_trpc/client'
import { IdChip } from '../../../_ui/IdChip'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { Explained } from './Explained'
import classes from './Explained.module.css'

interface Props {
  requestId: string | undefined
  endpoints: EndpointName[]
  onClose: () => void
  /** Opens the call above it in the log, and the one below; undefined where there is none. */
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
}

/** Explains one call, next to the log, under a separate address. */
export function RequestPanel({ requestId, endpoints, onClose, onPrevious, onNext }: Props) {
  const trpc = useTRPC()
  // The panel keeps its content while it closes.
  const [lastId, setLastId] = useState(requestId)
  if (requestId && requestId !== lastId) setLastId(requestId)
  const shownId = requestId ?? lastId
  const isPhone = useMediaQuery('(width < 48em)')
  const { data, error, refetch, isPlaceholderData } = useQuery(
    trpc.traffic.explain.queryOptions(
      { requestId: shownId ?? '' },
      { enabled: shownId !== undefined, staleTime: 60_000, placeholderData: keepPreviousData },
    ),
  )
  const steps = (
    <div className={classes.steps}>
      <Step title="Previous request" keys="K" icon={IconChevronUp} onClick={onPrevious} />
      <Step title="Next request" keys="J" icon={IconChevronDown} onClick={onNext} />
    </div>
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
        <div className={isPlaceholderData ? classes.stale : undefined} aria-busy={isPlaceholderData}>
          <Explained explanation={data} endpoints={endpoints} steps={steps} />
        </div>
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

interface StepProps {
  title: string
  keys: string
  icon: typeof IconChevronUp
  onClick: (() => void) | undefined
}

function Step({ title, keys, icon: Icon, onClick }: StepProps) {
  return (
    <Tooltip label={`${title} (${keys})`}>
      <ActionIcon variant="default" size={28} aria-label={title} aria-keyshortcuts={keys} disabled={!onClick} onClick={onClick}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  )
}
