'use client'

import { Button, SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { IconDownload, IconUsersGroup } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MAX_DAYS } from '#server/modules/analytics/limits'
import type { Viewers } from '#server/modules/analytics/viewing/viewers-report'
import { type AskedRange, DAY_RANGES } from '#server/platform/text/day-ranges'
import { useTRPC } from '../../../_trpc/client'
import { download } from '../../../_ui/download'
import { formatCount, formatShare } from '../../../_ui/format'
import { Panel } from '../../../_ui/Panel'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RangePicker } from '../../../_ui/range/RangePicker'
import { useRange } from '../../../_ui/range/use-range'
import { Breakdowns, type Measure } from '../../_parts/viewers/Breakdowns'
import { DatabaseCredit } from '../../_parts/viewers/DatabaseCredit'
import { formatMinutes } from '../../_parts/viewers/format-minutes'
import { TopVideos } from './TopVideos'
import classes from './Viewers.module.css'
import { ViewersChart } from './ViewersChart'
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
  const [measure, setMeasure] = useState<Measure>('plays')
  const { data, error, refetch, isPlaceholderData } = useQuery(
    trpc.viewing.viewers.queryOptions(range, { placeholderData: keepPreviousData, refetchInterval: 60_000 }),
  )
  return (
    <>
      <PageHeader
        title="Viewers"
        purpose="Who watches your videos: where, on what, and how far. Days are in UTC."
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
      <div className={classes.bar}>
        <RangePicker presets={DAY_RANGES} maxDays={MAX_DAYS} value={range} onChange={setRange} />
        <SegmentedControl
          size="xs"
          aria-label="Measure"
          data={MEASURES}
          value={measure}
          onChange={(value) => setMeasure(value as Measure)}
        />
      </div>
      <Stack gap="md">
        <WatchingNow />
        {error && !data ? (
          <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
        ) : data ? (
          <div className={classes.report} data-stale={isPlaceholderData || undefined} aria-busy={isPlaceholderData}>
            <Report report={data} measure={measure} />
          </div>
        ) : (
          <Skeleton height={600} />
        )}
      </Stack>
      <DatabaseCredit />
    </>
  )
}

function Report({ report, measure }: { report: Viewers; measure: Measure }) {
  const { totals, reached } = report
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
    ['Watched to the end', formatShare(totals.plays > 0 ? Math.min(1, completed / totals.plays) : null)],
  ] as const
  return (
    <Stack gap="md">
      <div className={classes.card}>
        <dl className={classes.facts}>
          {facts.map(([title, value]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <ViewersChart report={report} measure={measure} />
      </div>
      <Breakdowns report={report} measure={measure}>
        <Panel title="Top videos">
          <TopVideos report={report} measure={measure} />
        </Panel>
      </Breakdowns>
    </Stack>
  )
}

/** Loads the CSV writer with the first download, because few visits need it. */
async function downloadCsv(name: string, report: Viewers): Promise<void> {
  const { csvFile } = await import('#server/platform/text/csv')
  download(name, csvFile(viewersRows(report)), 'text/csv;charset=utf-8')
}
