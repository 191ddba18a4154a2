'use client'

import { Skeleton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useTRPC } from '../../../../_trpc/client'
import { ErrorState } from '../../../../_ui/ErrorState'

// Below the charts, and drawn from data of its own.
const Breakdowns = dynamic(() => import('../../../_parts/viewers/Breakdowns').then((module) => module.Breakdowns), { ssr: false })
const DatabaseCredit = dynamic(() => import('../../../_parts/viewers/DatabaseCredit').then((module) => module.DatabaseCredit), {
  ssr: false,
})

const DAY_MS = 86_400_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Shows who watched the video in the last `days` days. */
export function Audience({ videoId, days }: { videoId: string; days: number }) {
  const trpc = useTRPC()
  const now = Date.now()
  const range = { videoId, from: dayOf(now - (days - 1) * DAY_MS), to: dayOf(now) }
  const { data, error, refetch } = useQuery(
    trpc.viewing.viewers.queryOptions(range, { placeholderData: keepPreviousData, staleTime: 30_000 }),
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
