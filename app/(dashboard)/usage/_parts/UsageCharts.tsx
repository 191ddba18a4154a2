'use client'

import '@mantine/charts/styles.css'
import { AreaChart, BarChart } from '@mantine/charts'
import type { ReactNode } from 'react'
import type { Split } from '#server/modules/analytics/schema'
import type { Usage, UsageSeries } from '#server/modules/analytics/usage'
import { formatCount } from '../../../_ui/format'
import { InTurn } from '../../../_ui/InTurn'
import { Panel } from '../../../_ui/Panel'
import { ACCENT, colorOf, MAX_SERIES, REFUSED, SECONDARY } from './colors'
import classes from './Usage.module.css'
import { formatMoment } from './usage-format'

const COMMON = {
  gridAxis: 'x',
  tickLine: 'none',
  strokeDasharray: '0',
  withLegend: false,
  valueFormatter: formatCount,
  xAxisProps: { minTickGap: 44 },
  yAxisProps: { width: 52, tickCount: 4, allowDecimals: false },
} as const
const LINE = { withDots: false, strokeWidth: 1.5, curveType: 'linear', fillOpacity: 0.12, withGradient: false } as const

/** Heights in pixels. */
const [WIDE, NARROW] = [220, 160]

/** Draws one quantity per chart, zero where there is no data. */
export function UsageCharts({ report, split }: { report: Usage; split: Split | undefined }) {
  const points = report.points.map((point) => ({ ...point, at: formatMoment(point.at) }))
  const plays = report.plays.map(({ at, plays }) => ({ at: formatMoment(at), plays }))
  return (
    <div className={classes.charts}>
      <Chart
        title={`Requests ${each(report.unit)}`}
        wide
        labels={split ? <SeriesLabels series={shown(report.series)} split={split} /> : <Labels names={ALL_AND_FAILED} />}
      >
        {split ? (
          <BarChart
            {...COMMON}
            h={WIDE}
            type="stacked"
            maxBarWidth={26}
            data={stacked(report)}
            dataKey="at"
            series={shown(report.series).map((one, position) => ({
              name: one.name || 'none',
              label: one.label,
              color: colorOf(one, position, split),
            }))}
          />
        ) : (
          <AreaChart
            {...COMMON}
            {...LINE}
            h={WIDE}
            data={points}
            dataKey="at"
            series={[
              { name: 'requests', label: 'Requests', color: ACCENT },
              { name: 'failed', label: 'Errors', color: REFUSED },
            ]}
          />
        )}
      </Chart>
      <Chart
        title={`Playback tokens ${each(report.unit)}`}
        labels={
          <Labels
            names={[
              ['Issued', 'var(--rg-accent-text)'],
              ['Refused', 'var(--rg-bad-text)'],
            ]}
          />
        }
      >
        <AreaChart
          {...COMMON}
          {...LINE}
          h={NARROW}
          data={points}
          dataKey="at"
          series={[
            { name: 'issued', label: 'Issued', color: ACCENT },
            { name: 'refused', label: 'Refused', color: REFUSED },
          ]}
        />
      </Chart>
      <Chart title="Plays per day">
        {plays.length > 1 ? (
          <AreaChart
            {...COMMON}
            {...LINE}
            h={NARROW}
            data={plays}
            dataKey="at"
            series={[{ name: 'plays', label: 'Plays', color: ACCENT }]}
          />
        ) : (
          <BarChart
            {...COMMON}
            h={NARROW}
            maxBarWidth={26}
            data={plays}
            dataKey="at"
            series={[{ name: 'plays', label: 'Plays', color: ACCENT }]}
          />
        )}
      </Chart>
    </div>
  )
}

const ALL_AND_FAILED: [string, string][] = [
  ['All', 'var(--rg-accent-text)'],
  ['Errors', 'var(--rg-bad-text)'],
]

const each = (unit: Usage['unit']) => (unit === 'hour' ? 'per hour' : 'per day')

/** Returns the largest series, and the others as one. */
function shown(series: UsageSeries[]): UsageSeries[] {
  if (series.length <= MAX_SERIES + 1) return series
  const rest = series.slice(MAX_SERIES)
  const sum = (of: (one: UsageSeries) => number) => rest.reduce((total, one) => total + of(one), 0)
  const values = (rest[0] as UsageSeries).values.map((_, at) => sum((one) => one.values[at] ?? 0))
  const label = `${rest.length} others`
  return [
    ...series.slice(0, MAX_SERIES),
    { name: 'rest', label, values, requests: sum((one) => one.requests), failed: sum((one) => one.failed) },
  ]
}

const stacked = ({ points, series }: Usage) =>
  points.map(({ at }, position) => ({
    at: formatMoment(at),
    ...Object.fromEntries(shown(series).map((one) => [one.name || 'none', one.values[position] ?? 0])),
  }))

function Chart({ title, labels, wide, children }: { title: string; labels?: ReactNode; wide?: boolean; children: ReactNode }) {
  const height = wide ? WIDE : NARROW
  return (
    <div className={classes.chart} data-wide={wide || undefined}>
      <Panel title={title} action={labels}>
        <InTurn height={height}>{children}</InTurn>
      </Panel>
    </div>
  )
}

function Labels({ names }: { names: [string, string][] }) {
  return (
    <span className={classes.labels}>
      {names.map(([name, color]) => (
        <span key={name} style={{ color }}>
          {name}
        </span>
      ))}
    </span>
  )
}

function SeriesLabels({ series, split }: { series: UsageSeries[]; split: Split }) {
  return (
    <span className={classes.labels}>
      {series.map((one, position) => (
        <span key={one.name} className={classes.label}>
          <i style={{ background: series.length > MAX_SERIES && one.name === 'rest' ? SECONDARY : colorOf(one, position, split) }} />
          {one.label}
        </span>
      ))}
    </span>
  )
}
