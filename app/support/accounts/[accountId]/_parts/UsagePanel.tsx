'use client'

import { Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MAX_DAYS } from '#server/modules/analytics/limits'
import type { Split } from '#server/modules/analytics/schema'
import type { UsageSeries } from '#server/modules/analytics/usage'
import { DAY_RANGES, type DayRangeName } from '#server/platform/text/day-ranges'
import { ErrorRateChart, PlaysChart, RequestsChart, TokensChart } from '../../../../_parts/traffic/TrafficCharts'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { RangePicker } from '../../../../_ui/range/RangePicker'
import type { RangeValue } from '../../../../_ui/range/range-text'
import { useRange } from '../../../../_ui/range/use-range'
import { type Column, Table } from '../../../../_ui/Table'
import classes from './UsagePanel.module.css'

const TITLES: Record<Split, string> = { key: 'Key', endpoint: 'Endpoint', status: 'Status' }
const SPLIT_BY = Object.entries(TITLES).map(([value, label]) => ({ value, label }))

/** Shows requests, tokens and plays by UTC day, as the account's owner sees them. */
export function UsagePanel({ accountId, initialRange }: { accountId: string; initialRange: RangeValue<DayRangeName> }) {
  const trpc = useTRPC()
  const [range, setRange] = useRange(initialRange)
  const [split, setSplit] = useState<Split>('key')
  const { data, error, refetch } = useQuery(
    trpc.support.usage.queryOptions({ accountId, ...range, split }, { placeholderData: keepPreviousData, staleTime: 30_000 }),
  )
  const traffic = data && { points: data.points, unfinished: data.unfinished, previous: data.previous?.points }
  return (
    <Panel title="Usage" action={<RangePicker size="xs" presets={DAY_RANGES} maxDays={MAX_DAYS} value={range} onChange={setRange} />}>
      {error && !data && <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton className={classes.empty} />}
      {data && traffic && (
        <Stack gap="lg">
          <div className={classes.charts}>
            <RequestsChart {...traffic} />
            <ErrorRateChart {...traffic} />
            <TokensChart {...traffic} total={data.totals.issued} />
            <PlaysChart plays={data.plays} previous={data.previous?.plays} unfinished={data.unfinished} />
          </div>
          <Group justify="space-between" align="center">
            <Text fz={13} fw={550}>
              Requests by
            </Text>
            <SegmentedControl
              size="xs"
              aria-label="Split requests by"
              data={SPLIT_BY}
              value={split}
              onChange={(value) => setSplit(value as Split)}
            />
          </Group>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it */}
          <section className={classes.scroll} aria-label={`Requests by ${split}`} tabIndex={0}>
            <Table label={`Requests by ${split}`} columns={seriesColumns(split)} rows={data.series} keyOf={({ name }) => name} />
          </section>
        </Stack>
      )}
    </Panel>
  )
}

const seriesColumns = (split: Split): Column<UsageSeries>[] => [
  { title: TITLES[split], phone: 'wide', cell: ({ label }) => label },
  { title: 'Requests', number: true, cell: ({ requests }) => formatCount(requests) },
  { title: 'Errors', number: true, cell: ({ failed }) => formatCount(failed) },
]
