'use client'

import '@mantine/charts/styles.css'
import { AreaChart, LineChart } from '@mantine/charts'
import type { ReactNode } from 'react'
import type { Viewing, ViewingDay } from '#server/modules/analytics/viewing-report'
import { formatCount } from '../../../../_ui/format'
import { InTurn } from '../../../../_ui/InTurn'
import classes from './Viewing.module.css'
import { formatDay, formatMinutes, formatShare, formatStartup } from './viewing-format'

const COMMON = {
  h: 150,
  withDots: false,
  strokeWidth: 1.5,
  curveType: 'linear',
  gridAxis: 'x',
  tickLine: 'none',
  strokeDasharray: '0',
  withLegend: false,
} as const
const ACCENT = 'var(--mantine-color-indigo-5)'
const SECONDARY = 'var(--rg-neutral-dot)'

/** Draws one quantity per chart, zero where a day has no data. */
export function ViewingCharts({ report }: { report: Viewing }) {
  const days = report.days.map((day) => ({ ...day, day: formatDay(day.day) }))
  const wide = { data: days, dataKey: 'day', xAxisProps: { minTickGap: 40 }, yAxisProps: { width: 48, tickCount: 3 } }
  const retention = report.retention.map((share, at) => ({ at: `${at * 5}%`, share }))
  return (
    <div className={classes.charts}>
      <Chart title="Plays per day">
        <AreaChart
          {...COMMON}
          {...wide}
          fillOpacity={0.12}
          withGradient={false}
          series={[{ name: 'plays', label: 'Plays', color: ACCENT }]}
          valueFormatter={formatCount}
        />
      </Chart>
      <Chart title="Minutes watched per day">
        <AreaChart
          {...COMMON}
          {...wide}
          fillOpacity={0.12}
          withGradient={false}
          series={[{ name: 'minutesWatched', label: 'Minutes', color: ACCENT }]}
          valueFormatter={formatMinutes}
        />
      </Chart>
      <Chart title="Startup time" labels={<Labels />}>
        <LineChart
          {...COMMON}
          {...wide}
          data={days.map(zeros)}
          yAxisProps={{ width: 76, tickCount: 3 }}
          series={[
            { name: 'startupP50', label: 'Median', color: ACCENT },
            { name: 'startupP95', label: 'p95', color: SECONDARY },
          ]}
          valueFormatter={(ms) => formatStartup(Math.round(ms))}
        />
      </Chart>
      <Chart title="Rebuffering ratio">
        <AreaChart
          {...COMMON}
          {...wide}
          data={days.map(zeros)}
          fillOpacity={0.12}
          withGradient={false}
          yAxisProps={{ width: 48, tickCount: 3, domain: [0, (most: number) => Math.max(most, 0.05)] }}
          series={[{ name: 'rebufferRatio', label: 'Share', color: ACCENT }]}
          valueFormatter={formatShare}
        />
      </Chart>
      <Chart title="Retention by position in the video" wide>
        <AreaChart
          {...COMMON}
          data={retention}
          dataKey="at"
          fillOpacity={0.12}
          withGradient={false}
          xAxisProps={{ minTickGap: 30 }}
          yAxisProps={{ width: 48, domain: [0, 1], ticks: [0, 0.5, 1] }}
          series={[{ name: 'share', label: 'Viewers', color: ACCENT }]}
          valueFormatter={formatShare}
        />
      </Chart>
    </div>
  )
}

const zeros = ({ startupP50, startupP95, rebufferRatio, ...day }: ViewingDay) => ({
  ...day,
  startupP50: startupP50 ?? 0,
  startupP95: startupP95 ?? 0,
  rebufferRatio: rebufferRatio ?? 0,
})

function Chart({ title, labels, wide, children }: { title: string; labels?: ReactNode; wide?: boolean; children: ReactNode }) {
  return (
    <figure className={classes.chart} data-wide={wide || undefined}>
      <figcaption className={classes.caption}>
        {title}
        {labels}
      </figcaption>
      <InTurn height={COMMON.h}>{children}</InTurn>
    </figure>
  )
}

function Labels() {
  return (
    <span className={classes.labels}>
      <span style={{ color: 'var(--rg-accent-text)' }}>Median</span>
      <span style={{ color: 'var(--rg-dimmed)' }}>p95</span>
    </span>
  )
}
