'use client'

import { Skeleton, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { Viewing as Report } from '#server/modules/analytics/viewing-report'
import { useTRPC } from '../../../../_trpc/client'
import { ErrorState } from '../../../../_ui/ErrorState'
import { formatCount } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { ReportControls } from '../../../../_ui/ReportControls'
import { Totals } from '../../../../_ui/Totals'
import classes from './Viewing.module.css'
import { formatMinutes, formatShare, formatStartup } from './viewing-format'

// The chart library is by far the largest part of the page, and the lowest on it.
const ViewingCharts = dynamic(() => import('./ViewingCharts').then((module) => module.ViewingCharts), {
  ssr: false,
  loading: () => <Skeleton className={classes.waiting} />,
})
const ViewingTable = dynamic(() => import('./ViewingTable').then((module) => module.ViewingTable), { ssr: false })

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '28', label: '28 days' },
  { value: '90', label: '90 days' },
]

/** Shows the viewings of the video: players' reports, by UTC day. */
export function Viewing({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const [days, setDays] = useState<7 | 28 | 90>(28)
  const [asTable, table] = useDisclosure(false)
  const { data, error, refetch } = useQuery(
    trpc.viewing.report.queryOptions({ videoId, days }, { placeholderData: keepPreviousData, staleTime: 30_000 }),
  )
  return (
    <Panel
      title="Viewing"
      action={<ReportControls ranges={RANGES} days={days} onDays={setDays} asTable={asTable} onToggle={table.toggle} />}
    >
      {error && !data ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : data ? (
        <Stack gap="lg">
          <Totals facts={factsOf(data)} />
          {data.totals.plays === 0 && data.totals.errors === 0 ? (
            <p className={classes.none}>No plays in this period. Only the embed player reports viewing data. The preview above does not.</p>
          ) : asTable ? (
            <ViewingTable report={data} />
          ) : (
            <ViewingCharts report={data} />
          )}
        </Stack>
      ) : (
        <Skeleton height={500} />
      )}
    </Panel>
  )
}

const factsOf = ({ totals }: Report) =>
  [
    ['Plays', formatCount(totals.plays)],
    ['Minutes watched', formatMinutes(totals.minutesWatched)],
    ['Median startup time', formatStartup(totals.startupP50)],
    ['p95 startup time', formatStartup(totals.startupP95)],
    ['Rebuffering', formatShare(totals.rebufferRatio)],
    ['Errors', formatCount(totals.errors)],
  ] as const
