'use client'

import type { Spend } from '#server/modules/billing/spend'
import { PALETTE, SECONDARY } from '../../../../_ui/chart/colors'
import { formatCount } from '../../../../_ui/format'
import { LazyChart } from '../../../../_ui/LazyChart'
import { formatCredits } from '../../../_parts/amounts'

/** Draws credits per day, one colour per key; beyond the five with the highest spending, the others as one. */
export function SpendChart({ spend: { days, keys, total, tokens } }: { spend: Spend }) {
  const [shown, others] = [keys.slice(0, PALETTE.length), keys.slice(PALETTE.length)]
  const series = shown.map(({ keyId, keyName, values }, at) => ({ name: keyId, label: keyName, color: PALETTE[at] as string, values }))
  const rest = days.map((_, at) => others.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  if (others.length > 0) series.push({ name: 'rest', label: `${others.length} others`, color: SECONDARY, values: rest })
  return (
    <LazyChart
      title="Credits spent"
      value={formatCredits(total)}
      delta={<span>{`for ${formatCount(tokens)} tokens`}</span>}
      kind="bars"
      at={days}
      series={series}
      unfinished
      format={formatCredits}
      formatTick={formatCredits}
      height={220}
    />
  )
}
