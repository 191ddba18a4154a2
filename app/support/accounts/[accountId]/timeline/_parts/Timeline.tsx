'use client'

import { Skeleton } from '@mantine/core'
import { IconTimeline } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TIMELINE_KIND_NAMES, TIMELINE_KINDS, type TimelineKind } from '#server/modules/backoffice/support/state'
import { useTRPC } from '../../../../../_trpc/client'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { PagedList } from '../../../../_parts/PagedList'
import classes from './Timeline.module.css'
import { TimelineEvents } from './TimelineEvents'

/** Lists everything that happened in an account, newest first, and filters it by kind. */
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
      <fieldset className={classes.filters} aria-label="Show">
        <button type="button" className={classes.filter} aria-pressed={kinds.length === 0} onClick={() => choose([])}>
          Everything
        </button>
        {TIMELINE_KIND_NAMES.map((kind) => (
          <button key={kind} type="button" className={classes.filter} aria-pressed={kinds.includes(kind)} onClick={() => toggle(kind)}>
            {TIMELINE_KINDS[kind]}
          </button>
        ))}
      </fieldset>
      <PagedList
        query={timeline}
        rows={events}
        loading={<Skeleton height={230} role="status" aria-busy="true" aria-label="Loading timeline" />}
        empty={
          <EmptyState framed icon={<IconTimeline size={20} />} title="No events found">
            Nothing of this kind has happened in the account.
          </EmptyState>
        }
      >
        <TimelineEvents accountId={accountId} events={events} />
      </PagedList>
    </>
  )
}
