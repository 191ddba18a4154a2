'use client'

import { Button, SegmentedControl, Skeleton, Stack, TextInput } from '@mantine/core'
import { IconChartLine, IconDownload } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Split, UsageInput } from '#server/modules/analytics/schema'
import type { Usage as Report } from '#server/modules/analytics/usage'
import type { EndpointName } from '../../../_endpoints'
import { useTRPC } from '../../../_trpc/client'
import { download } from '../../../_ui/download'
import { EmptyState } from '../../../_ui/EmptyState'
import { ErrorState } from '../../../_ui/ErrorState'
import { schemaErrors } from '../../../_ui/form-errors'
import { PageHeader } from '../../../_ui/PageHeader'
import { PRESETS, type Preset, presetOf, rangeOf } from './ranges'
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
export function Usage({ initial, today, endpoints }: { initial: UsageInput; today: string; endpoints: EndpointName[] }) {
  const trpc = useTRPC()
  const [input, setInput] = useState(initial)
  const [fields, setFields] = useState({ from: initial.from, to: initial.to })
  const [problem, setProblem] = useState<{ from?: string; to?: string }>({})
  const { data, error, refetch, isPlaceholderData } = useQuery(
    trpc.traffic.usage.queryOptions(input, { placeholderData: keepPreviousData, refetchInterval: 30_000 }),
  )

  const show = async (wanted: UsageInput) => {
    setFields({ from: wanted.from, to: wanted.to })
    const { usageInput } = await import('#server/modules/analytics/schema')
    const checked = usageInput.safeParse(wanted)
    setProblem(schemaErrors(checked))
    if (!checked.success) return
    setInput(checked.data)
    // The address holds the filter, so that it can be bookmarked and shared.
    window.history.replaceState(null, '', `?${new URLSearchParams(checked.data as Record<string, string>)}`)
  }
  const split = (value: Split | 'none') => show({ from: input.from, to: input.to, ...(value === 'none' ? {} : { split: value }) })
  const within = (wanted: { from: string; to: string }) => show({ ...wanted, ...(input.split ? { split: input.split } : {}) })
  const report = data && named(data, input.split, endpoints)

  return (
    <>
      <PageHeader
        title="Usage"
        purpose="Requests, playback tokens, plays and storage of this account. Days and hours are in UTC."
        action={
          <Button
            variant="default"
            leftSection={<IconDownload size={15} />}
            disabled={!report}
            onClick={() => report && void downloadCsv(fileName(input), report)}
          >
            Export CSV
          </Button>
        }
      />
      <div className={classes.bar}>
        <SegmentedControl
          size="xs"
          aria-label="Range"
          data={[...PRESETS]}
          value={presetOf(input, today) ?? ''}
          onChange={(value) => within(rangeOf(value as Preset, today))}
        />
        <div className={classes.days}>
          <TextInput
            type="date"
            aria-label="First day (UTC)"
            max={today}
            value={fields.from}
            error={problem.from}
            onChange={(event) => within({ ...fields, from: event.currentTarget.value })}
          />
          <span aria-hidden="true">to</span>
          <TextInput
            type="date"
            aria-label="Last day (UTC)"
            max={today}
            value={fields.to}
            error={problem.to}
            onChange={(event) => within({ ...fields, to: event.currentTarget.value })}
          />
        </div>
        <SegmentedControl
          className={classes.split}
          size="xs"
          aria-label="Group requests"
          data={SPLITS}
          value={input.split ?? 'none'}
          onChange={(value) => split(value)}
        />
      </div>
      {error && !report ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : report ? (
        <Stack gap="md" className={classes.report} data-stale={isPlaceholderData || undefined} aria-busy={isPlaceholderData}>
          {isEmpty(report) ? (
            <div className={classes.none}>
              <EmptyState icon={<IconChartLine size={20} />} title="No traffic in this period">
                API requests appear here within seconds. Plays are reported by the embed player.
              </EmptyState>
            </div>
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
        <StoragePanel />
      </div>
    </>
  )
}

const isEmpty = ({ totals }: Report) => Object.values(totals).every((count) => count === 0)

/** Loads the CSV writer with the first download, because few visits need it. */
async function downloadCsv(name: string, report: Report): Promise<void> {
  const { csvText } = await import('#server/platform/csv')
  download(name, csvText(usageRows(report)), 'text/csv;charset=utf-8')
}

const fileName = ({ from, to, split }: UsageInput) => `reelgate-usage-${from}-to-${to}${split ? `-by-${split}` : ''}.csv`

/** Names endpoints by their method and address. */
function named(report: Report, split: Split | undefined, endpoints: EndpointName[]): Report {
  if (split !== 'endpoint') return report
  const names = new Map(endpoints.map(({ operation, method, path }) => [operation, `${method} ${path}`]))
  return { ...report, series: report.series.map((one) => ({ ...one, label: names.get(one.name) ?? one.label })) }
}
