'use client'

import type { Viewing } from '#server/modules/analytics/viewing/viewing-report'
import { CountChart } from '../../../../_parts/traffic/TrafficCharts'
import { previousOf } from '../../../../_parts/traffic/traffic-series'
import { ACCENT, SECONDARY } from '../../../../_ui/chart/colors'
import { formatMs, formatShare } from '../../../../_ui/format'
import { LazyChart } from '../../../../_ui/LazyChart'
import { formatMinutes } from '../../../_parts/viewers/format-minutes'
import classes from './Viewing.module.css'

/**
 * Draws one quantity per chart, with the period before. Days without a viewing are zeros of counts, and gaps of times and shares.
 */
export function ViewingCharts({ report: { days, retention, previous, unfinished } }: { report: Viewing }) {
  const shared = { at: days.map(({ day }) => day), unfinished }
  const before = previous.slice(0, days.length)
  const label = previousOf(shared.at)
  const faint = (name: string, values: (number | null)[]) => (values.some((value) => value !== null) ? { label: name, values } : undefined)
  const [plays, minutes] = [days.map((day) => day.plays), days.map(({ minutesWatched }) => minutesWatched)]
  return (
    <div className={classes.charts}>
      <CountChart
        {...shared}
        title="Plays"
        series={[{ name: 'plays', label: 'Plays', color: ACCENT, values: plays }]}
        values={plays}
        before={before.map((day) => day.plays)}
      />
      <CountChart
        {...shared}
        title="Minutes watched"
        format={formatMinutes}
        series={[{ name: 'minutes', label: 'Minutes', color: ACCENT, values: minutes }]}
        values={minutes}
        before={before.map(({ minutesWatched }) => minutesWatched)}
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
        previous={faint(
          `Median, ${label}`,
          before.map(({ startupP50 }) => startupP50),
        )}
      />
      <LazyChart
        {...shared}
        title="Rebuffering ratio"
        kind="lines"
        format={formatShare}
        atLeast={0.05}
        series={[{ name: 'ratio', label: 'Share', color: ACCENT, values: days.map(({ rebufferRatio }) => rebufferRatio) }]}
        previous={faint(
          `Share, ${label}`,
          before.map(({ rebufferRatio }) => rebufferRatio),
        )}
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
