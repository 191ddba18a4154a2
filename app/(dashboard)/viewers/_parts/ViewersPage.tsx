'use client'

import { Button, Group, SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { IconDownload, IconUsersGroup, IconX } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { MAX_DAYS } from '#server/modules/analytics/limits'
import type { PlaybackQuality } from '#server/modules/analytics/viewing/playback-quality'
import type { Only } from '#server/modules/analytics/viewing/viewer-schema'
import type { Viewers } from '#server/modules/analytics/viewing/viewers-report'
import { type AskedRange, DAY_RANGES } from '#server/platform/text/day-ranges'
import { useTRPC } from '../../../_trpc/client'
import { download } from '../../../_ui/download'
import { formatCount, formatMs, formatShare } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { Panel } from '../../../_ui/Panel'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RankedBars } from '../../../_ui/RankedBars'
import { RangePicker } from '../../../_ui/range/RangePicker'
import { useRange } from '../../../_ui/range/use-range'
import { Totals } from '../../../_ui/Totals'
import { Breakdowns, type Measure } from '../../_parts/viewers/Breakdowns'
import { DatabaseCredit } from '../../_parts/viewers/DatabaseCredit'
import { formatMinutes } from '../../_parts/viewers/format-minutes'
import { errorName, viewerName } from '../../_parts/viewers/viewer-names'
import { onlyFrom } from './only'
import { TopVideos } from './TopVideos'
import classes from './Viewers.module.css'
import { ViewersChart } from './ViewersChart'
import { ViewersTabs } from './ViewersTabs'
import { viewersRows } from './viewers-csv'
import { WatchingNow } from './WatchingNow'

const MEASURES = [
  { value: 'plays', label: 'Plays' },
  { value: 'minutes', label: 'Minutes' },
]

/** Shows who watches the account's videos. */
export function ViewersPage({ initial }: { initial: AskedRange }) {
  const trpc = useTRPC()
  const [range, setRange] = useRange(initial)
  const [chosen, setMeasure] = useState<Measure>('plays')
  const search = useSearchParams()
  const only = onlyFrom(search.get('by'), search.get('value'))
  // A play has no single quality.
  const measure = only?.dimension === 'quality' ? 'minutes' : chosen
  /** The address of the report of one value, or without one of all. */
  const hrefOf = (one?: Only) => {
    const address = new URLSearchParams(search)
    for (const name of ['by', 'value']) address.delete(name)
    if (one)
      for (const [name, value] of [
        ['by', one.dimension],
        ['value', one.value],
      ] as const)
        address.set(name, value)
    return `/viewers?${address}`
  }
  const { data, error, refetch, isPlaceholderData } = useQuery(
    trpc.viewing.viewers.queryOptions({ ...range, ...(only && { only }) }, { placeholderData: keepPreviousData, refetchInterval: 60_000 }),
  )
  return (
    <>
      <PageHeader
        title="Viewers"
        purpose="Who watches your videos, where, on what, how far and how well. Days are in UTC."
        action={
          <Button
            variant="default"
            leftSection={<IconDownload size={15} />}
            disabled={!data}
            onClick={() => data && void downloadCsv(`reelgate-viewers-${data.from}-to-${data.to}.csv`, data)}
          >
            Export CSV
          </Button>
        }
      />
      <ViewersTabs here="/viewers" />
      <div className={classes.bar}>
        <Group gap="xs">
          <RangePicker presets={DAY_RANGES} maxDays={MAX_DAYS} value={range} onChange={setRange} />
          {only && (
            <Button component={Link} href={hrefOf()} variant="default" rightSection={<IconX size={14} />} aria-label="Show all viewers">
              {viewerName(only.dimension, only.value)}
            </Button>
          )}
        </Group>
        <SegmentedControl
          size="xs"
          aria-label="Metric"
          data={MEASURES}
          value={measure}
          disabled={only?.dimension === 'quality'}
          onChange={(value) => setMeasure(value as Measure)}
        />
      </div>
      <Stack gap="md">
        <WatchingNow />
        {error && !data ? (
          <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
        ) : data ? (
          <div className={classes.report} data-stale={isPlaceholderData || undefined} aria-busy={isPlaceholderData}>
            <Report report={data} measure={measure} only={only} hrefOf={hrefOf} />
          </div>
        ) : (
          <Skeleton height={600} />
        )}
      </Stack>
      <DatabaseCredit />
    </>
  )
}

interface ReportProps {
  report: Viewers
  measure: Measure
  only: Only | undefined
  hrefOf: (only: Only) => string
}

function Report({ report, measure, only, hrefOf }: ReportProps) {
  const { totals, reached, quality } = report
  if (totals.plays === 0 && totals.minutes === 0)
    return (
      <EmptyState icon={<IconUsersGroup size={20} />} title="No plays in this period" framed>
        Embed a video, or share a link to it. Plays in the embed player appear here within seconds; previews in the dashboard do not count.
      </EmptyState>
    )
  const completed = reached.at(-1)?.viewings ?? 0
  // The chart shows the total of the chosen measure.
  const other =
    measure === 'plays' ? (['Minutes watched', formatMinutes(totals.minutes)] as const) : (['Plays', formatCount(totals.plays)] as const)
  const facts = [
    other,
    ['Minutes per play', totals.plays > 0 ? (totals.minutes / totals.plays).toFixed(1) : '–'],
    ...(quality
      ? ([
          ['Watched to the end', formatShare(totals.plays > 0 ? Math.min(1, completed / totals.plays) : null)],
          ['Median startup', formatMs(quality.startupP50)],
          ['p95 startup', formatMs(quality.startupP95)],
          ['Rebuffering', formatShare(quality.rebufferRatio)],
        ] as const)
      : []),
  ] as const
  return (
    <Stack gap="md">
      <Stack gap="lg" className={classes.card}>
        {only?.dimension !== 'quality' && <Totals facts={facts} />}
        <ViewersChart report={report} measure={measure} />
      </Stack>
      <Breakdowns report={report} measure={measure} only={only} hrefOf={hrefOf}>
        <Panel title="Top videos">
          <TopVideos report={report} measure={measure} />
        </Panel>
        {quality && (
          <Panel title="Errors">
            <Errors errors={quality.errors} />
          </Panel>
        )}
      </Breakdowns>
    </Stack>
  )
}

function Errors({ errors }: Pick<PlaybackQuality, 'errors'>) {
  const rows = errors.map(({ kind, count }) => ({ id: kind, label: errorName(kind), value: count }))
  const total = rows.reduce((sum, { value }) => sum + value, 0)
  return <RankedBars label="Errors" rows={rows} total={total} format={formatCount} empty="The player showed no errors." />
}

/** Loads the CSV writer with the first download, because few visits need it. */
async function downloadCsv(name: string, report: Viewers): Promise<void> {
  const { csvFile } = await import('#server/platform/text/csv')
  download(name, csvFile(viewersRows(report)), 'text/csv;charset=utf-8')
}
