'use client'

import type { Viewing } from '#server/modules/analytics/viewing-report'
import { ACCENT, SECONDARY } from '../../../../_ui/chart/colors'
import { formatCount, formatMs, formatShare } from '../../../../_ui/format'
import { LazyChart } from '../../../../_ui/LazyChart'
import { formatMinutes } from '../../../_parts/viewers/format-minutes'
import classes from './Viewing.module.css'

/** Draws one quantity per chart. Days without a viewing are zeros of counts, and gaps of times and shares. */
export function ViewingCharts({ report: { days, retention } }: { report: Viewing }) {
  // The report ends today.
  const shared = { at: days.map(({ day }) => day), unfinished: true }
  return (
    <div className={classes.charts}>
      <LazyChart
        {...shared}
        title="Plays"
        kind="bars"
        format={formatCount}
        series={[{ name: 'plays', label: 'Plays', color: ACCENT, values: days.map(({ plays }) => plays) }]}
      />
      <LazyChart
        {...shared}
        title="Minutes watched"
        kind="bars"
        format={formatMinutes}
        series={[{ name: 'minutes', label: 'Minutes', color: ACCENT, values: days.map(({ minutesWatched }) => minutesWatched) }]}
      />
      <LazyChart
        {...shared}
        title="Startup time"
        kind="lines"
        format={formatMs}
        series={[
          { name: 'p50', label: 'Median', color: ACCENT, values: days.map(({ startupP50 }) => startupP50) },
          { name: 'p95', label: 'p95', color: SECONDARY, values: days.map(({ startupP95 }) => startupP95) },
        ]}
      />
      <LazyChart
        {...shared}
        title="Rebuffering ratio"
        kind="lines"
        format={formatShare}
        atLeast={0.05}
        series={[{ name: 'ratio', label: 'Share', color: ACCENT, values: days.map(({ rebufferRatio }) => rebufferRatio) }]}
      />
      <div className={classes.wide}>
        <LazyChart
          title="Retention by position in the video"
          kind="lines"
          format={formatShare}
          atLeast={1}
          at={retention.map((_, at) => `${at * 5}%`)}
          series={[{ name: 'share', label: 'Viewers', color: ACCENT, values: retention }]}
        />
      </div>
    </div>
  )
}
