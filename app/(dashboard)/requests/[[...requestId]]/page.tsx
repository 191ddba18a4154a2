import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
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
  const filter = filterFrom(await searchParams, requestFilter)
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
      <Requests initialFilter={filter} endpoints={ENDPOINTS} />
    </Hydrate>
  )
}
