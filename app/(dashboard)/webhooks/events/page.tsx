import type { Metadata } from 'next'
import { EVENT_TYPES } from '#server/events'
import { requireSession } from '../../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../../_trpc/server'
import { EventLog } from '../_parts/EventLog'

export const metadata: Metadata = { title: 'Events' }

export default async function EventsPage() {
  await requireSession('/webhooks/events')
  await Promise.all([
    loadPages(
      trpc.webhook.events.infiniteQueryOptions({ type: undefined }, { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined }),
    ),
    load(trpc.webhook.list.queryOptions()),
  ])
  return (
    <Hydrate>
      <EventLog types={EVENT_TYPES} />
    </Hydrate>
  )
}
