'use client'

import { Button, SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { IconChartLine, IconDownload } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MAX_DAYS } from '#server/modules/analytics/limits'
import type { Split, UsageInput } from '#server/modules/analytics/schema'
import type { Usage as Report } from '#server/modules/analytics/usage'
import { DAY_RANGES } from '#server/platform/text/day-ranges'
import type { EndpointName } from '../../../_endpoints'
import { useTRPC } from '../../../_trpc/client'
import { download } from '../../../_ui/download'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { RangePicker } from '../../../_ui/range/RangePicker'
import { DeliveredPanel } from '../../_parts/delivered/DeliveredPanel'
import { RecordsPanel } from './RecordsPanel'
import { StoragePanel } from './StoragePanel'
import classes from './Usage.module.css'
import { UsageCharts } from './UsageCharts'
import { UsageTables } from './UsageTables'
import { usageRows } from './usage-csv'

const SPLITS: { value: Split | 'none'; label: string }[] = [
  { value: 'none', label: 'All' },
  { value: 'key', label: 'By key' },
  { value: 'endpoint', label: 'By endpoint' },
  { value: 'status', label: 'By status' },
]

/** Shows the requests to the public API, over any range of UTC days: charts, the same numbers as tables, and as a file. */
export function Usage({ initial, endpoints }: { initial: UsageInput; endpoints: EndpointName[] }) {
  const trpc = useTRPC()
  const [input, setInput] = useState(initial)
  const { data, error, refetch, isPlaceholderData } = useQuery(
    trpc.traffic.usage.queryOptions(input, { placeholderData: keepPreviousData, refetchInterval: 30_000 }),
  )

  const show = (wanted: UsageInput) => {
    setInput(wanted)
    // The address holds the filter, so that it can be bookmarked and shared.
    window.history.replaceState(null, '', `?${new URLSearchParams(wanted as Record<string, string>)}`)
  }
  const { split: grouped, ...range } = input
  const report = data && named(data, input.split, endpoints)

  return (
    <>
      <PageHeader
        title="Usage"
        purpose="Requests, playback tokens, plays, delivered bytes and storage of this account. Days and hours are in UTC."
        action={
          <Button
            variant="default"
            leftSection={<IconDownload size={15} />}
            disabled={!report}
            onClick={() => report && void downloadCsv(fileName(report, grouped), report)}
          >
            Export CSV
          </Button>
        }
      />
      <div className={classes.bar}>
        <RangePicker
          presets={DAY_RANGES}
          maxDays={MAX_DAYS}
          value={range}
          onChange={(chosen) => show({ ...chosen, ...(grouped && { split: grouped }) })}
        />
        <SegmentedControl
          className={classes.split}
          size="xs"
          aria-label="Group requests"
          data={SPLITS}
          value={grouped ?? 'none'}
          onChange={(value) => show({ ...range, ...(value !== 'none' && { split: value }) })}
        />
      </div>
      {error && !report ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : report ? (
        <Stack gap="md" className={classes.report} data-stale={isPlaceholderData || undefined} aria-busy={isPlaceholderData}>
          {isEmpty(report) ? (
            <EmptyState framed icon={<IconChartLine size={20} />} title="No traffic in this period">
              API requests appear here within seconds. Plays are reported by the embed player.
            </EmptyState>
          ) : (
            <>
              <UsageCharts report={report} split={input.split} />
              <UsageTables report={report} split={input.split} />
            </>
          )}
        </Stack>
      ) : (
        <Skeleton height={600} />
      )}
      <div className={classes.storage}>
        <DeliveredPanel range={range} />
        <StoragePanel />
        <RecordsPanel />
      </div>
    </>
  )
}

const isEmpty = ({ totals }: Report) => Object.values(totals).every((count) => count === 0)

/** Loads the CSV writer with the first download, because few visits need it. */
async function downloadCsv(name: string, report: Report): Promise<void> {
  const { csvFile } = await import('#server/platform/text/csv')
  download(name, csvFile(usageRows(report)), 'text/csv;charset=utf-8')
}

const fileName = ({ from, to }: Report, split: Split | undefined) => `reelgate-usage-${from}-to-${to}${split ? `-by-${split}` : ''}.csv`

/** Names endpoints by their method and address. */
function named(report: Report, split: Split | undefined, endpoints: EndpointName[]): Report {
  if (split !== 'endpoint') return report
  const names = new Map(endpoints.map(({ operation, method, path }) => [operation, `${method} ${path}`]))
  return { ...report, series: report.series.map((one) => ({ ...one, label: names.get(one.name) ?? one.label })) }
}
