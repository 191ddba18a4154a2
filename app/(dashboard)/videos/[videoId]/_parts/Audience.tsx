'use client'

import { Skeleton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { DayRange } from '#server/platform/text/day-ranges'
import { useTRPC } from '../../../../_trpc/client'
import { ErrorState } from '../../../../_ui/page/ErrorState'

// Below the charts, and drawn from data of its own.
const Breakdowns = dynamic(() => import('../../../_parts/viewers/Breakdowns').then((module) => module.Breakdowns), { ssr: false })
const DatabaseCredit = dynamic(() => import('../../../_parts/viewers/DatabaseCredit').then((module) => module.DatabaseCredit), {
  ssr: false,
})

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
