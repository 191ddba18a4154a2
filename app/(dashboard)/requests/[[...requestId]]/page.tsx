import type { Metadata } from 'next'
import { requestFilter, requestIdInput } from '#server/traffic/schema'
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
  // What no request id can look like is a page that is not there.
  if (requestId !== undefined)
    await load(trpc.traffic.explain.queryOptions(requestIdInput.parse({ requestId: more.length > 0 ? '' : requestId })))
  await Promise.all([
    load(trpc.key.list.queryOptions()),
    loadPages(trpc.traffic.requests.infiniteQueryOptions(filter, { initialCursor: undefined, getNextPageParam: () => undefined })),
  ])
  return (
    <Hydrate>
      <Requests initialFilter={filter} endpoints={ENDPOINTS} />
    </Hydrate>
  )
}
