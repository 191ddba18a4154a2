import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import superjson from 'superjson'

/**
 * Creates a query client with the settings that the server's prefetching and the browser share, so that both serialize alike. `onError`
 * receives every failure, and whether the page must stay open: it holds what `meta.keepsPage` of the mutation could not save.
 */
export function makeQueryClient(onError?: (error: unknown, keepsPage: boolean) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error) => onError?.(error, false) }),
    mutationCache: new MutationCache({ onError: (error, _variables, _result, { meta }) => onError?.(error, meta?.keepsPage === true) }),
    defaultOptions: {
      queries: {
        // Data that the server just rendered is not fetched again; changes arrive by subscription.
        staleTime: 30_000,
        retry: (failures, error) => failures < 2 && !isFinal(error),
      },
      dehydrate: { serializeData: superjson.serialize },
      hydrate: { deserializeData: superjson.deserialize },
    },
  })
}

/** Returns whether a retry is useless because the request itself is refused. */
function isFinal(error: unknown): boolean {
  const status = (error as { data?: { status?: number } }).data?.status
  return status !== undefined && status < 500
}
