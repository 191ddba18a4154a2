'use client'

import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import type { Spend } from '#server/modules/billing/spend'
import { formatCredits } from '../../_parts/amounts'
import classes from './Billing.module.css'

/** Distinguishable by lightness as well as by hue. */
const PALETTE = ['var(--mantine-color-indigo-5)', '#12a386', '#dd9a1a', '#4c8bf5', '#c05aa8']
const REST = 'var(--rg-neutral-dot)'

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Draws credits per day, one colour per key; beyond the five with the highest spending, the others as one. */
export function SpendChart({ spend: { days, keys } }: { spend: Spend }) {
  const [shown, others] = [keys.slice(0, PALETTE.length), keys.slice(PALETTE.length)]
  const series = shown.map(({ keyId, keyName }, at) => ({ name: keyId, label: keyName, color: PALETTE[at] as string }))
  if (others.length > 0) series.push({ name: 'rest', label: `${others.length} others`, color: REST })
  const data = days.map((date, at) => ({
    day: day.format(new Date(`${date}T00:00:00Z`)),
    ...Object.fromEntries(shown.map(({ keyId, values }) => [keyId, values[at] ?? 0])),
    ...(others.length > 0 && { rest: others.reduce((sum, { values }) => sum + (values[at] ?? 0), 0) }),
  }))
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.labels}>
        {series.map(({ name, label, color }) => (
          <span key={name}>
            <i style={{ background: color }} />
            {label}
          </span>
        ))}
      </figcaption>
      <BarChart
        h={220}
        type="stacked"
        data={data}
        dataKey="day"
        series={series}
        maxBarWidth={26}
        gridAxis="x"
        tickLine="none"
        strokeDasharray="0"
        withLegend={false}
        valueFormatter={formatCredits}
        xAxisProps={{ minTickGap: 40 }}
        yAxisProps={{ width: 56, tickCount: 4 }}
      />
    </figure>
  )
}
