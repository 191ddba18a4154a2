import { matchQuery, type Query, type QueryCacheNotifyEvent, type QueryClient, type QueryFilters } from '@tanstack/react-query'

/**
 * Changes what a query holds by what was heard of it, and once more the answer that is on its way: it may have been read before.
 * An answer that is given up brings nothing, and one that is asked for from now on is left as it comes.
 */
export function showHeard(query: Query, change: () => void): void {
  const onItsWay = query.state.fetchStatus === 'idle' ? undefined : query.promise
  change()
  onItsWay?.then(change, () => {})
}

/** Sets what a query holds; whether it is to be asked anew stays as it was. */
export function putHeld<T>(client: QueryClient, query: Query, data: T): void {
  const { isInvalidated } = query.state
  client.setQueryData<T>(query.queryKey, data)
  if (isInvalidated) query.invalidate()
}

const askedAgain = new WeakSet<Query>()

/**
 * Asks anew for what pages show, once something was heard of it. What is being asked is not given up, or notices that come faster than
 * answers would leave a page with none; since it may be read before, it is asked again after it.
 */
export function askAnew(client: QueryClient, filters: QueryFilters): void {
  for (const query of client.getQueryCache().findAll(filters)) {
    const exactly = { queryKey: query.queryKey, exact: true }
    if (query.state.fetchStatus === 'idle') void client.invalidateQueries(exactly)
    else if (!askedAgain.has(query)) {
      askedAgain.add(query)
      // Something else may be asked by then: the next page, say.
      const settled = () => {
        askedAgain.delete(query)
        askAnew(client, exactly)
      }
      query.promise?.then(settled, settled)
    }
  }
}

/** Longer than a page's server takes from reading to the browser. */
const READ_BEFORE_MS = 10_000

/** Asks anew for what comes with a page, where something was heard shortly before: the server may have read it earlier. Returns how to stop. */
export function askWhenHydrated(client: QueryClient, filters: QueryFilters, heardAt: () => number): () => void {
  return client.getQueryCache().subscribe((event) => {
    if (!isHydrated(event) || performance.now() - heardAt() > READ_BEFORE_MS || !matchQuery(filters, event.query)) return
    askAnew(client, { queryKey: event.query.queryKey, exact: true })
  })
}

/** Data that was not asked for here: a new query comes with it, or it is set as one that is held already. */
const isHydrated = (event: QueryCacheNotifyEvent) =>
  event.type === 'added' ? event.query.state.data !== undefined : event.type === 'updated' && event.action.type === 'setState'
