'use client'

import type { Viewers } from '#server/modules/analytics/viewing/viewers-report'
import { CountChart } from '../../../_parts/traffic/TrafficCharts'
import { ACCENT } from '../../../_ui/chart/colors'
import type { Measure } from '../../_parts/viewers/Breakdowns'
import { formatMinutes } from '../../_parts/viewers/format-minutes'

const TITLES: Record<Measure, string> = { plays: 'Plays', minutes: 'Minutes watched' }

/** Draws plays or watch time by day, with the period before. */
export function ViewersChart({ report: { days, previous, unfinished }, measure }: { report: Viewers; measure: Measure }) {
  const values = days.map((day) => day[measure])
  return (
    <CountChart
      title={TITLES[measure]}
      at={days.map(({ day }) => day)}
      series={[{ name: measure, label: TITLES[measure], color: ACCENT, values }]}
      values={values}
      before={previous.days.map((day) => day[measure])}
      unfinished={unfinished}
      height={230}
      {...(measure === 'minutes' && { format: formatMinutes })}
    />
  )
}
