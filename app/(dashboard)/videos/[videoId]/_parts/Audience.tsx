'use client'

import { Skeleton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { DayRange } from '#server/platform/text/day-ranges'
import { useTRPC } from '../../../../_trpc/client'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { Breakdowns } from '../../../_parts/viewers/Breakdowns'
import { DatabaseCredit } from '../../../_parts/viewers/DatabaseCredit'

interface Props extends DayRange {
  videoId: string
}

/** Shows who watched the video on these UTC days. */
export function Audience({ videoId, from, to }: Props) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(
    trpc.viewing.viewers.queryOptions({ videoId, from, to }, { placeholderData: keepPreviousData, staleTime: 30_000 }),
  )
  if (error && !data) return <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={400} />
  return (
    <div>
      <Breakdowns report={data} measure="plays" nested />
      <DatabaseCredit />
    </div>
  )
}
