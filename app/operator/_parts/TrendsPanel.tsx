'use client'

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { TrendDay } from '#server/modules/backoffice/operator/trends'
import { CountChart } from '../../_parts/traffic/TrafficCharts'
import { useTRPC } from '../../_trpc/client'
import { ACCENT, BAD, PALETTE, SECONDARY } from '../../_ui/chart/colors'
import { formatBytes, formatSeconds } from '../../_ui/format'
import { LazyChart } from '../../_ui/LazyChart'
import { Panel } from '../../_ui/Panel'
import { ErrorState } from '../../_ui/page/ErrorState'
import classes from './Status.module.css'

/** Shows the last 30 days of the installation. Read apart from the status, because it sums the days of all accounts. */
export function TrendsPanel() {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.operator.trends.queryOptions(undefined, { staleTime: 600_000 }))
  return (
    <Panel title="Last 30 days">
      {data ? (
        <Trends days={data} />
      ) : error ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className={classes.loading} />
      )}
    </Panel>
  )
}

function Trends({ days }: { days: readonly TrendDay[] }) {
  const at = days.map((day) => day.at)
  const series = (label: string, color: string, value: (day: TrendDay) => number | null | undefined) => ({
    ...{ name: label, label, color },
    values: days.map((day) => value(day) ?? null),
  })
  const stored = days.findLast((day) => day.stored)?.stored
  const longest = Math.max(0, ...days.map(({ wait }) => wait?.p95 ?? 0))
  return (
    <div className={classes.charts}>
      <CountChart
        title="Requests"
        at={at}
        series={[
          series('Successful', ACCENT, (day) => day.requests - day.clientErrors - day.serverErrors),
          series('Client errors (4xx)', SECONDARY, (day) => day.clientErrors),
          series('Server errors (5xx)', BAD, (day) => day.serverErrors),
        ]}
        values={days.map((day) => day.requests)}
        unfinished
      />
      <CountChart
        title="Failed transcodes"
        at={at}
        series={[series('Failed', BAD, (day) => day.failedTranscodes)]}
        values={days.map((day) => day.failedTranscodes)}
        unfinished
      />
      <LazyChart
        title="Wait for a worker"
        kind="lines"
        at={at}
        series={[series('Median', ACCENT, ({ wait }) => wait?.p50), series('p95', SECONDARY, ({ wait }) => wait?.p95)]}
        unfinished
        value={longest > 0 ? `Up to ${formatSeconds(longest)}` : 'None'}
        format={formatSeconds}
      />
      <LazyChart
        title="Stored media"
        kind="bars"
        at={at}
        series={[
          series('Originals', ACCENT, (day) => day.stored?.originals),
          series('Renditions', PALETTE[1] as string, (day) => day.stored?.renditions),
          series('Pictures and captions', SECONDARY, (day) => day.stored?.others),
        ]}
        value={stored ? formatBytes(stored.originals + stored.renditions + stored.others) : 'Not recorded yet'}
        format={formatBytes}
        formatTick={formatBytes}
      />
    </div>
  )
}
