'use client'

import '@mantine/charts/styles.css'
import { AreaChart, LineChart } from '@mantine/charts'
import type { ReactNode } from 'react'
import { formatCount } from '../../../../_ui/format'
import { InTurn } from '../../../../_ui/InTurn'
import classes from './UsagePanel.module.css'
import type { UsageRow } from './usage-row'

const COMMON = {
  h: 150,
  dataKey: 'day',
  withDots: false,
  strokeWidth: 1.5,
  curveType: 'linear',
  gridAxis: 'x',
  tickLine: 'none',
  strokeDasharray: '0',
  withLegend: false,
  valueFormatter: formatCount,
  xAxisProps: { minTickGap: 40 },
  yAxisProps: { width: 48, tickCount: 3 },
} as const
const ACCENT = 'var(--mantine-color-indigo-5)'
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Draws one quantity per chart, zero where a day has no data. */
export function UsageCharts({ rows }: { rows: UsageRow[] }) {
  const data = rows.map((row) => ({ ...row, day: day.format(new Date(row.at)) }))
  const area = { ...COMMON, data, fillOpacity: 0.12, withGradient: false }
  return (
    <div className={classes.charts}>
      <Chart title="Requests per day">
        <AreaChart {...area} series={[{ name: 'requests', label: 'Requests', color: ACCENT }]} />
      </Chart>
      <Chart
        title="Playback tokens per day"
        labels={
          <span className={classes.labels}>
            <span style={{ color: 'var(--rg-accent-text)' }}>Issued</span>
            <span style={{ color: 'var(--rg-bad-text)' }}>Refused</span>
          </span>
        }
      >
        <LineChart
          {...COMMON}
          data={data}
          series={[
            { name: 'issued', label: 'Issued', color: ACCENT },
            { name: 'refused', label: 'Refused', color: 'var(--rg-bad-dot)' },
          ]}
        />
      </Chart>
      <Chart title="Plays per day">
        <AreaChart {...area} series={[{ name: 'plays', label: 'Plays', color: ACCENT }]} />
      </Chart>
    </div>
  )
}

function Chart({ title, labels, children }: { title: string; labels?: ReactNode; children: ReactNode }) {
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.caption}>
        {title}
        {labels}
      </figcaption>
      <InTurn height={COMMON.h}>{children}</InTurn>
    </figure>
  )
}
