'use client'

import type { KeyUsage, KeyUsagePoint } from '#server/modules/analytics/key-usage'
import { formatCount } from '../../../../_ui/format'
import { type Column, Table } from '../../../../_ui/Table'
import classes from './KeyUsage.module.css'
import { formatMoment, formatMs } from './usage-format'

const COUNTS: Column<KeyUsagePoint>[] = [
  { title: 'Requests', number: true, cell: ({ requests }) => formatCount(requests) },
  { title: 'Errors', number: true, cell: ({ failed }) => formatCount(failed) },
  { title: 'Issued', number: true, cell: ({ issued }) => formatCount(issued) },
  { title: 'Refused', number: true, cell: ({ refused }) => formatCount(refused) },
  { title: 'Median latency', number: true, cell: ({ p50 }) => formatMs(p50) },
  { title: 'p95 latency', number: true, cell: ({ p95 }) => formatMs(p95) },
]

/** Shows the numbers behind the charts, newest first. */
export function KeyTables({ usage: { unit, points } }: { usage: KeyUsage }) {
  const title = unit === 'hour' ? 'Hour (UTC)' : 'Day (UTC)'
  const moment: Column<KeyUsagePoint> = { title, phone: 'wide', cell: ({ at }) => <time dateTime={at}>{formatMoment(at)}</time> }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it
    <section className={classes.scroll} aria-label="Usage of this key" tabIndex={0}>
      <Table label="Usage of this key" columns={[moment, ...COUNTS]} rows={[...points].reverse()} keyOf={({ at }) => at} />
    </section>
  )
}
