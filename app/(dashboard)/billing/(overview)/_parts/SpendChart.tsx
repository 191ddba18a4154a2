'use client'

import { Stack, Text } from '@mantine/core'
import { formatCredits } from '#server/modules/billing/price-schema'
import type { Spend } from '#server/modules/billing/spend'
import { CountChart } from '../../../../_parts/traffic/TrafficCharts'
import { PALETTE, SECONDARY } from '../../../../_ui/chart/colors'
import { formatCount } from '../../../../_ui/format'
import { RankedBars } from '../../../../_ui/RankedBars'
import { KeyLink } from '../../_parts/KeyLink'

/**
 * Draws credits per day, one colour per key; beyond the five with the highest spending, the others as one. Lists all keys, each with its
 * total.
 */
export function SpendChart({ spend: { days, keys, total, tokens, previous } }: { spend: Spend }) {
  const [shown, others] = [keys.slice(0, PALETTE.length), keys.slice(PALETTE.length)]
  const series = shown.map(({ keyId, keyName, values }, at) => ({ name: keyId, label: keyName, color: PALETTE[at] as string, values }))
  const rest = days.map((_, at) => others.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  if (others.length > 0) series.push({ name: 'rest', label: `${others.length} others`, color: SECONDARY, values: rest })
  return (
    <Stack gap="lg">
      <CountChart
        title="Credits spent"
        at={days}
        series={series}
        values={days.map((_, at) => keys.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))}
        total={Number(total)}
        before={previous.values}
        unfinished
        format={formatCredits}
        formatTick={formatCredits}
        height={220}
      />
      <div>
        <Text size="xs" c="dimmed" mb={6}>
          By key, for {formatCount(tokens)} {tokens === 1 ? 'token' : 'tokens'}
        </Text>
        <RankedBars
          label="Credits by key"
          rows={keys.map((key) => ({ id: key.keyId, label: <KeyLink id={key.keyId} name={key.keyName} />, value: Number(key.total) }))}
          total={Number(total)}
          format={formatCredits}
          empty="No spending in this period."
        />
      </div>
    </Stack>
  )
}
