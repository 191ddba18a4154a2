'use client'

import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Split } from '#server/modules/analytics/schema'
import type { Usage, UsagePoint, UsageSeries } from '#server/modules/analytics/usage'
import { formatPeriod } from '../../../_ui/chart/chart-data'
import { formatCount, formatShare } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { Panel } from '../../../_ui/Panel'
import { type Column, Table } from '../../../_ui/Table'
import classes from './Usage.module.css'

const TITLES: Record<Split, string> = { key: 'Key', endpoint: 'Endpoint', status: 'Status' }

interface Row extends UsagePoint {
  plays: number
}

const COUNTS: Column<Row>[] = [
  { title: 'Requests', number: true, cell: ({ requests }) => formatCount(requests) },
  { title: 'Errors', number: true, cell: ({ failed }) => formatCount(failed) },
  { title: 'Tokens issued', number: true, cell: ({ issued }) => formatCount(issued) },
  { title: 'Tokens refused', number: true, cell: ({ refused }) => formatCount(refused) },
]

/** Shows the numbers behind the charts. */
export function UsageTables({ report, split }: { report: Usage; split: Split | undefined }) {
  const daily = report.unit === 'day'
  const moment: Column<Row> = {
    title: daily ? 'Day (UTC)' : 'Hour (UTC)',
    phone: 'wide',
    cell: ({ at }) => <time dateTime={at}>{formatPeriod(at)}</time>,
  }
  const plays: Column<Row> = { title: 'Plays', number: true, cell: (row) => formatCount(row.plays) }
  const rows = report.points.map((point, position) => ({ ...point, plays: report.plays[position]?.plays ?? 0 })).reverse()
  return (
    <>
      {split && (
        <Panel flush title={`Requests by ${TITLES[split].toLowerCase()}`}>
          <Scroll label={`Requests by ${TITLES[split].toLowerCase()}`}>
            <Table
              label={`Requests by ${TITLES[split].toLowerCase()}`}
              columns={seriesColumns(split, report)}
              rows={report.series}
              keyOf={({ name }) => name}
            />
          </Scroll>
        </Panel>
      )}
      <Panel flush title={daily ? 'By day' : 'By hour'}>
        <Scroll label={daily ? 'Usage by day' : 'Usage by hour'}>
          <Table
            label={daily ? 'Usage by day' : 'Usage by hour'}
            columns={daily ? [moment, ...COUNTS, plays] : [moment, ...COUNTS]}
            rows={rows}
            keyOf={({ at }) => at}
            muted={({ requests, issued, refused, plays }) => requests + issued + refused + plays === 0}
          />
        </Scroll>
        {report.unplaced > 0 && (
          <Text size="xs" c="dimmed" p="sm">
            The totals include {formatCount(report.unplaced)} tokens without an hour: they were issued in the last second, or a crash lost
            their hourly counts.
          </Text>
        )}
      </Panel>
    </>
  )
}

const seriesColumns = (split: Split, { totals }: Usage): Column<UsageSeries>[] => [
  {
    title: TITLES[split],
    phone: 'wide',
    cell: ({ name, label }) => <Part split={split} name={name} label={label} />,
  },
  { title: 'Requests', number: true, cell: ({ requests }) => formatCount(requests) },
  { title: 'Share', number: true, cell: ({ requests }) => formatShare(requests / totals.requests) },
  { title: 'Errors', number: true, cell: ({ failed }) => formatCount(failed) },
]

/** Names a part of the requests: a key with its page, an endpoint or a status with its requests in the log. */
function Part({ split, name, label }: { split: Split; name: string; label: string }) {
  if (split === 'key' && !name) return label
  const href = split === 'key' ? `/api-keys/${name}` : `/requests?${split === 'endpoint' ? 'operation' : 'outcome'}=${name}`
  return (
    <Link href={href} prefetch={false} className={classes.part}>
      {split === 'endpoint' ? <code className={classes.code}>{label}</code> : label}
    </Link>
  )
}

function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it
    <section className={classes.scroll} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
