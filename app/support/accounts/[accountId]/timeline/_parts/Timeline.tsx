'use client'

import { Skeleton, Stack } from '@mantine/core'
import { IconTimeline } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TIMELINE_KIND_NAMES, TIMELINE_KINDS, type TimelineKind } from '#server/modules/backoffice/support/state'
import { useTRPC } from '../../../../../_trpc/client'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { ErrorState } from '../../../../../_ui/page/ErrorState'
import { ShowMore } from '../../../../../_ui/ShowMore'
import classes from './Timeline.module.css'
import { TimelineEvents } from './TimelineEvents'

/** Shows everything that happened to an account in one list, the newest first, by kind if chosen. */
export function Timeline({ accountId, initial }: { accountId: string; initial: TimelineKind[] }) {
  const trpc = useTRPC()
  const [kinds, setKinds] = useState(initial)
  const timeline = useInfiniteQuery(
    trpc.support.timeline.infiniteQueryOptions(
      { accountId, kinds },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined, placeholderData: keepPreviousData },
    ),
  )
  const events = timeline.data?.pages.flatMap((page) => page.events) ?? []
  const choose = (chosen: TimelineKind[]) => {
    // In the order of the table, so that one choice has one address.
    const next = TIMELINE_KIND_NAMES.filter((kind) => chosen.includes(kind))
    setKinds(next)
    window.history.replaceState(null, '', next.length ? `?kinds=${next.join(',')}` : window.location.pathname)
  }
  const toggle = (kind: TimelineKind) => choose(kinds.includes(kind) ? kinds.filter((one) => one !== kind) : [...kinds, kind])

  return (
    <>
      <fieldset className={classes.filters}>
        <legend className={classes.legend}>Show</legend>
        <button type="button" className={classes.filter} aria-pressed={kinds.length === 0} onClick={() => choose([])}>
          Everything
        </button>
        {TIMELINE_KIND_NAMES.map((kind) => (
          <button key={kind} type="button" className={classes.filter} aria-pressed={kinds.includes(kind)} onClick={() => toggle(kind)}>
            {TIMELINE_KINDS[kind]}
          </button>
        ))}
      </fieldset>
      <Stack gap="md">
        {timeline.isPending ? (
          <Stack gap={1} aria-busy="true" aria-label="Loading timeline">
            {['a', 'b', 'c', 'd', 'e'].map((row) => (
              <Skeleton key={row} height={46} />
            ))}
          </Stack>
        ) : timeline.isError && events.length === 0 ? (
          <ErrorState message={timeline.error.message} requestId={timeline.error.data?.requestId} onRetry={() => void timeline.refetch()} />
        ) : events.length > 0 ? (
          <TimelineEvents accountId={accountId} events={events} />
        ) : (
          <EmptyState framed icon={<IconTimeline size={20} />} title="No such events">
            Nothing of this kind has happened to the account.
          </EmptyState>
        )}
        <ShowMore query={timeline} />
      </Stack>
    </>
  )
}
