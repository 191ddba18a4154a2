'use client'

import type { ReactNode } from 'react'
import type { Split } from '#server/modules/analytics/schema'
import type { Usage, UsageSeries } from '#server/modules/analytics/usage'
import { ErrorRateChart, PlaysChart, RequestsChart, TokensChart } from '../../../_parts/traffic/TrafficCharts'
import type { ChartSeries } from '../../../_ui/chart/chart-data'
import { SECONDARY } from '../../../_ui/chart/colors'
import { useOpenRequests } from '../../_parts/use-open-requests'
import { colorOf, MAX_SERIES } from './colors'
import classes from './Usage.module.css'

/** Draws one quantity per chart, each with the period before; a click on requests opens them in the log. */
export function UsageCharts({ report, split }: { report: Usage; split: Split | undefined }) {
  const open = useOpenRequests()
  const openFailed = useOpenRequests({ outcome: 'failed' })
  const openTokens = useOpenRequests({ operation: 'createPlaybackToken' })
  const { points, plays, totals, previous, unfinished } = report
  const traffic = { points, unfinished, previous: previous?.points }
  return (
    <div className={classes.charts}>
      <Card wide>
        <RequestsChart {...traffic} {...open} {...(split && { split: seriesOf(report, split) })} height={240} />
      </Card>
      <Card>
        <ErrorRateChart {...traffic} {...openFailed} />
      </Card>
      <Card>
        <TokensChart {...traffic} {...openTokens} total={totals.issued} />
      </Card>
      <Card>
        <PlaysChart plays={plays} previous={previous?.plays} unfinished={unfinished} />
      </Card>
    </div>
  )
}

/** Returns the largest series, and the others as one. */
function seriesOf({ series }: Usage, split: Split): ChartSeries[] {
  const cut = series.length <= MAX_SERIES + 1 ? series.length : MAX_SERIES
  const shown = series.slice(0, cut).map((one, position) => ({
    name: one.name || 'none',
    label: one.label,
    color: colorOf(one, position, split),
    values: one.values,
  }))
  const rest = series.slice(cut)
  if (rest.length === 0) return shown
  return [...shown, { name: 'rest', label: `${rest.length} others`, color: SECONDARY, values: sumsOf(rest) }]
}

const sumsOf = (series: readonly UsageSeries[]) =>
  (series[0] as UsageSeries).values.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))

function Card({ wide, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <div className={classes.card} data-wide={wide || undefined}>
      {children}
    </div>
  )
}
