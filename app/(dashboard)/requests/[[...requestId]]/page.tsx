import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { MAX_SEARCH } from '#server/modules/analytics/limits'
import { requestFilter, requestIdInput } from '#server/modules/analytics/schema'
import { requireSession } from '../../../_auth'
import { ENDPOINTS } from '../../../_endpoints'
import { Hydrate, load, loadPages, trpc } from '../../../_trpc/server'
import { filterFrom } from '../_parts/filter'
import { Requests } from '../_parts/Requests'

export const metadata: Metadata = { title: 'Requests' }

interface Props {
  params: Promise<{ requestId?: string[] }>
  searchParams: Promise<Record<string, string | string[]>>
}

export default async function RequestsPage({ params, searchParams }: Props) {
  const { requestId: [requestId, ...more] = [] } = await params
  await requireSession(requestId ? `/requests/${requestId}` : '/requests')
  const asked = await searchParams
  const filter = filterFrom(asked, requestFilter)
  // One that is too short is not searched for, but shown in the field, under which the page says why.
  const typed = typeof asked.search === 'string' ? { search: asked.search.slice(0, MAX_SEARCH) } : {}
  const { keyId, operation, range, from, to } = filter
  // The browser requests the explanation: a call that is no longer in the log is reported next to the log.
  if (requestId !== undefined && (more.length > 0 || !requestIdInput.safeParse({ requestId }).success)) notFound()
  await Promise.all([
    load(trpc.key.list.queryOptions()),
    load(trpc.traffic.requestCounts.queryOptions({ keyId, operation, range, from, to })),
    loadPages(trpc.traffic.requests.infiniteQueryOptions(filter, { initialCursor: undefined, getNextPageParam: () => undefined })),
  ])
  return (
    <Hydrate>
      <Requests initialFilter={{ ...filter, ...typed }} endpoints={ENDPOINTS} />
    </Hydrate>
  )
}
