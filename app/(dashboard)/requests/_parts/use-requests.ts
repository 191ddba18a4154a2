import { useDocumentVisibility } from '@mantine/hooks'
import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useRef } from 'react'
import type { RequestPage } from '#server/modules/analytics/requests/list-requests'
import type { RequestFilter } from '#server/modules/analytics/schema'
import { useTRPC } from '../../../_trpc/client'
import { useReopened } from '../../../_trpc/use-reopened'

/** Returns the filtered log, newest first; while `live`, new calls are prepended. */
export function useRequests(filter: RequestFilter, live: boolean) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const visible = useDocumentVisibility() === 'visible'
  const failures = useRef(0)
  const reading = useRef<Promise<void>>(Promise.resolve())
  const query = useInfiniteQuery(
    trpc.traffic.requests.infiniteQueryOptions(filter, {
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      placeholderData: keepPreviousData,
      refetchOnWindowFocus: false,
    }),
  )
  const key = trpc.traffic.requests.infiniteQueryKey(filter)

  const readNewest = async () => {
    failures.current = 0
    const newest = await client.fetchQuery({ ...trpc.traffic.requests.queryOptions(filter), staleTime: 0, gcTime: 0, retry: false })
    client.setQueryData<InfiniteData<RequestPage, string | null>>(key, (held) => held && withNewest(held, newest))
  }
  const stream = useSubscription(
    trpc.traffic.watch.subscriptionOptions(undefined, {
      enabled: live && visible,
      // Runs one refetch after the other: one in flight may be too old for the notice. The next one makes up for a failed one.
      onData: () => {
        reading.current = reading.current.then(readNewest).catch(() => {})
      },
    }),
  )
  useReopened(stream, failures)

  const requests = query.data?.pages.flatMap((page) => page.requests) ?? []
  return { query, requests, connected: stream.status === 'pending' }
}

/** Prepends the newest page. When it does not overlap the loaded ones there is a gap: then it alone is shown. */
function withNewest(held: InfiniteData<RequestPage, string | null>, newest: RequestPage): InfiniteData<RequestPage, string | null> {
  const [first, ...others] = held.pages
  const known = new Set(held.pages.flatMap((page) => page.requests.map(({ id }) => id)))
  const fresh = newest.requests.filter(({ id }) => !known.has(id))
  if (!first || (fresh.length === newest.requests.length && known.size > 0 && newest.nextCursor !== null))
    return { pages: [newest], pageParams: [null] }
  const requests = [...fresh, ...first.requests].sort((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1))
  return { ...held, pages: [{ ...first, requests }, ...others] }
}
