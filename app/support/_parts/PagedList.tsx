import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from '../../_ui/page/ErrorState'
import { ShowMore } from '../../_ui/ShowMore'

interface Props {
  query: {
    error: { message: string; data?: { requestId?: string | undefined } | null } | null
    isPending: boolean
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => unknown
    refetch: () => unknown
  }
  /** The rows of the pages that are loaded. */
  rows: readonly unknown[]
  /** Shown while the first page loads. */
  loading?: ReactNode
  /** Shown without a row. */
  empty: ReactNode
  children: ReactNode
}

/** Renders a list that loads page by page, and its states: loading, failed, empty. */
export function PagedList({ query, rows, loading, empty, children }: Props) {
  const { error } = query
  return (
    <Stack gap="md">
      {rows.length > 0 ? (
        children
      ) : error ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        loading
      ) : (
        empty
      )}
      <ShowMore query={query} />
    </Stack>
  )
}
