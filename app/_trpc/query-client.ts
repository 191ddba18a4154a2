import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import superjson from 'superjson'

/** Settings shared by the server's prefetching and the browser, so that what one writes the other reads. `onError` hears every failure. */
export function makeQueryClient(onError?: (error: unknown) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // What the server just rendered is not asked for again; changes come by subscription.
        staleTime: 30_000,
        retry: (failures, error) => failures < 2 && !isFinal(error),
      },
      dehydrate: { serializeData: superjson.serialize },
      hydrate: { deserializeData: superjson.deserialize },
    },
  })
}

/** Asking again does not help: the request itself is refused. */
function isFinal(error: unknown): boolean {
  const status = (error as { data?: { status?: number } }).data?.status
  return status !== undefined && status < 500
}
