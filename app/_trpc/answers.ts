import { matchQuery, type Query, type QueryCacheNotifyEvent, type QueryClient, type QueryFilters } from '@tanstack/react-query'

/**
 * Applies a notified change to the query's data, and again to the response in flight, which may have been read before the change. A
 * superseded response is ignored, and a request sent from now on is left unchanged.
 */
export function applyNotice(query: Query, change: () => void): void {
  const onItsWay = query.state.fetchStatus === 'idle' ? undefined : query.promise
  change()
  onItsWay?.then(change, () => {})
}

/** Sets the data of a query and keeps its invalidated flag. */
export function setDataKeepInvalidated<T>(client: QueryClient, query: Query, data: T): void {
  const { isInvalidated } = query.state
  client.setQueryData<T>(query.queryKey, data)
  if (isInvalidated) query.invalidate()
}

const refetchScheduled = new WeakSet<Query>()

/**
 * Refetches the queries that pages show, after a notice. Does not cancel requests in flight, since notices that arrive faster than
 * responses would leave a page empty; because those may be read before the change, refetches once more after them.
 */
export function refetchAfterNotice(client: QueryClient, filters: QueryFilters): void {
  for (const query of client.getQueryCache().findAll(filters)) {
    const exactly = { queryKey: query.queryKey, exact: true }
    if (query.state.fetchStatus === 'idle') void client.invalidateQueries(exactly)
    else if (!refetchScheduled.has(query)) {
      refetchScheduled.add(query)
      // Another request may be in flight by then, such as the next page.
      const settled = () => {
        refetchScheduled.delete(query)
        refetchAfterNotice(client, exactly)
      }
      query.promise?.then(settled, settled)
    }
  }
}

/** Longer than the delay between the server's read and the browser's receipt of a page. */
const READ_BEFORE_MS = 10_000

/**
 * Refetches data that arrives with a page if a notice arrived shortly before, since the server may have read it earlier. Returns a function
 * that stops this.
 */
export function refetchWhenHydrated(client: QueryClient, filters: QueryFilters, heardAt: () => number): () => void {
  return client.getQueryCache().subscribe((event) => {
    if (!isHydrated(event) || performance.now() - heardAt() > READ_BEFORE_MS || !matchQuery(filters, event.query)) return
    refetchAfterNotice(client, { queryKey: event.query.queryKey, exact: true })
  })
}

/** Data that was not fetched here: a new query is created with it, or it is set on a cached query. */
const isHydrated = (event: QueryCacheNotifyEvent) =>
  event.type === 'added' ? event.query.state.data !== undefined : event.type === 'updated' && event.action.type === 'setState'
