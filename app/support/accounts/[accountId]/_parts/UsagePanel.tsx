'use client'

import { Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { Split } from '#server/modules/analytics/schema'
import type { Usage, UsageSeries } from '#server/modules/analytics/usage'
import { useTRPC } from '../../../../_trpc/client'
import { ErrorState } from '../../../../_ui/ErrorState'
import { formatCount } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { ReportControls } from '../../../../_ui/ReportControls'
import { type Column, Table } from '../../../../_ui/Table'
import { Totals } from '../../../../_ui/Totals'
import classes from './UsagePanel.module.css'
import type { UsageRow } from './usage-row'

// The chart library is by far the largest part of the page.
const UsageCharts = dynamic(() => import('./UsageCharts').then((module) => module.UsageCharts), {
  ssr: false,
  loading: () => <Skeleton className={classes.waiting} />,
})

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
]

const TITLES: Record<Split, string> = { key: 'Key', endpoint: 'Endpoint', status: 'Status' }
const SPLIT_BY = Object.entries(TITLES).map(([value, label]) => ({ value, label }))

/** Shows requests, tokens and plays by UTC day, as the account's owner sees them. */
export function UsagePanel({ accountId }: { accountId: string }) {
  const trpc = useTRPC()
  const [days, setDays] = useState<7 | 30 | 90>(30)
  const [split, setSplit] = useState<Split>('key')
  const [asTable, table] = useDisclosure(false)
  const { data, error, refetch } = useQuery(
    trpc.support.usage.queryOptions({ accountId, days, split }, { placeholderData: keepPreviousData, staleTime: 30_000 }),
  )
  const rows = data?.points.map((point, at) => ({ ...point, plays: data.plays[at]?.plays ?? 0 }))
  return (
    <Panel title="Usage" action={<ReportControls ranges={RANGES} days={days} onDays={setDays} asTable={asTable} onToggle={table.toggle} />}>
      {error && !data && <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton className={classes.empty} />}
      {data && rows && (
        <Stack gap="lg">
          <Totals facts={factsOf(data.totals)} />
          {asTable ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it
            <section className={classes.scroll} aria-label="Usage by day" tabIndex={0}>
              <Table label="Usage by day" columns={DAYS} rows={[...rows].reverse()} keyOf={({ at }) => at} />
            </section>
          ) : (
            <UsageCharts rows={rows} />
          )}
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

const DAYS: Column<UsageRow>[] = [
  { title: 'Day (UTC)', phone: 'wide', cell: ({ at }) => <time dateTime={at}>{at}</time> },
  { title: 'Requests', number: true, cell: ({ requests }) => formatCount(requests) },
  { title: 'Errors', number: true, cell: ({ failed }) => formatCount(failed) },
  { title: 'Tokens issued', number: true, cell: ({ issued }) => formatCount(issued) },
  { title: 'Tokens refused', number: true, cell: ({ refused }) => formatCount(refused) },
  { title: 'Plays', number: true, cell: ({ plays }) => formatCount(plays) },
]

const seriesColumns = (split: Split): Column<UsageSeries>[] => [
  { title: TITLES[split], phone: 'wide', cell: ({ label }) => label },
  { title: 'Requests', number: true, cell: ({ requests }) => formatCount(requests) },
  { title: 'Errors', number: true, cell: ({ failed }) => formatCount(failed) },
]

const factsOf = (totals: Usage['totals']) =>
  [
    ['Requests', formatCount(totals.requests)],
    ['Errors', formatCount(totals.failed)],
    ['Tokens issued', formatCount(totals.issued)],
    ['Tokens refused', formatCount(totals.refused)],
    ['Plays', formatCount(totals.plays)],
  ] as const
