'use client'

import { Skeleton, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Viewing as Report } from '#server/modules/analytics/viewing-report'
import { useTRPC } from '../../../../_trpc/client'
import { ErrorState } from '../../../../_ui/ErrorState'
import { formatCount, formatMs, formatShare } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { ReportControls } from '../../../../_ui/ReportControls'
import { Totals } from '../../../../_ui/Totals'
import { formatMinutes } from '../../../_parts/viewers/format-minutes'
import { Audience } from './Audience'
import classes from './Viewing.module.css'
import { ViewingCharts } from './ViewingCharts'

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '28', label: '28 days' },
  { value: '90', label: '90 days' },
]

/** Shows the viewings of the video: players' reports, by UTC day. */
export function Viewing({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const [days, setDays] = useState<7 | 28 | 90>(28)
  const { data, error, refetch } = useQuery(
    trpc.viewing.report.queryOptions({ videoId, days }, { placeholderData: keepPreviousData, staleTime: 30_000 }),
  )
  return (
    <Panel title="Viewing" action={<ReportControls ranges={RANGES} days={days} onDays={setDays} />}>
      {error && !data ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : data ? (
        <Stack gap="lg">
          <Totals facts={factsOf(data)} />
          {data.totals.plays === 0 && data.totals.errors === 0 ? (
            <p className={classes.none}>No plays in this period. Only the embed player reports viewing data. The preview above does not.</p>
          ) : (
            <>
              <ViewingCharts report={data} />
              <Audience videoId={videoId} days={days} />
            </>
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
    ['Median startup time', formatMs(totals.startupP50)],
    ['p95 startup time', formatMs(totals.startupP95)],
    ['Rebuffering', formatShare(totals.rebufferRatio)],
    ['Errors', formatCount(totals.errors)],
  ] as const
