'use client'

import '@mantine/charts/styles.css'
import { AreaChart, LineChart } from '@mantine/charts'
import type { ReactNode } from 'react'
import type { KeyUsage } from '#server/modules/analytics/key-usage'
import { formatCount } from '../../../../_ui/format'
import { InTurn } from '../../../../_ui/InTurn'
import classes from './KeyUsage.module.css'
import { formatMoment, formatMs } from './usage-format'

const COMMON = {
  h: 150,
  dataKey: 'at',
  withDots: false,
  strokeWidth: 1.5,
  curveType: 'linear',
  gridAxis: 'x',
  tickLine: 'none',
  strokeDasharray: '0',
  withLegend: false,
  xAxisProps: { minTickGap: 44 },
  yAxisProps: { width: 56, tickCount: 3 },
} as const
const AREA = { fillOpacity: 0.12, withGradient: false, valueFormatter: formatCount } as const
const ACCENT = 'var(--mantine-color-indigo-5)'
const [SECONDARY, REFUSED] = ['var(--rg-neutral-dot)', 'var(--rg-bad-dot)']

/** Draws one quantity per chart, zero where there is no data. */
export function KeyCharts({ usage }: { usage: KeyUsage }) {
  const points = usage.points.map((point) => ({ ...point, at: formatMoment(point.at), p50: point.p50 ?? 0, p95: point.p95 ?? 0 }))
  const each = usage.unit === 'hour' ? 'per hour' : 'per day'
  return (
    <div className={classes.charts}>
      <Chart title={`Requests ${each}`} names={['All', 'Errors']} second="var(--rg-bad-text)">
        <AreaChart
          {...COMMON}
          {...AREA}
          data={points}
          series={[
            { name: 'requests', label: 'Requests', color: ACCENT },
            { name: 'failed', label: 'Errors', color: REFUSED },
          ]}
        />
      </Chart>
      <Chart title={`Playback tokens ${each}`} names={['Issued', 'Refused']} second="var(--rg-bad-text)">
        <AreaChart
          {...COMMON}
          {...AREA}
          data={points}
          series={[
            { name: 'issued', label: 'Issued', color: ACCENT },
            { name: 'refused', label: 'Refused', color: REFUSED },
          ]}
        />
      </Chart>
      <Chart title="Latency" names={['Median', 'p95']} second="var(--rg-dimmed)" wide>
        <LineChart
          {...COMMON}
          data={points}
          series={[
            { name: 'p50', label: 'Median', color: ACCENT },
            { name: 'p95', label: 'p95', color: SECONDARY },
          ]}
          valueFormatter={formatMs}
        />
      </Chart>
    </div>
  )
}

interface ChartProps {
  title: string
  names: [string, string]
  /** Colour of the second name. */
  second: string
  wide?: boolean
  children: ReactNode
}

function Chart({ title, names: [first, other], second, wide, children }: ChartProps) {
  return (
    <figure className={classes.chart} data-wide={wide || undefined}>
      <figcaption className={classes.caption}>
        {title}
        <span className={classes.labels}>
          <span style={{ color: 'var(--rg-accent-text)' }}>{first}</span>
          <span style={{ color: second }}>{other}</span>
        </span>
      </figcaption>
      <InTurn height={COMMON.h}>{children}</InTurn>
    </figure>
  )
}
