import type { Split } from '#server/modules/analytics/schema'
import type { UsageSeries } from '#server/modules/analytics/usage'
import { BAD, PALETTE, SECONDARY } from '../../../_ui/chart/colors'

/** Most series that a chart shows; the rest are one. */
export const MAX_SERIES = PALETTE.length

/** Returns a series' colour: statuses by their class, others by position. */
export function colorOf({ name }: UsageSeries, position: number, split: Split | undefined): string {
  if (split !== 'status') return PALETTE[position] ?? SECONDARY
  if (name.startsWith('2')) return 'var(--rg-good-dot)'
  if (name.startsWith('3')) return 'var(--rg-info-dot)'
  if (name === '429') return 'var(--rg-warn-dot)'
  return name.startsWith('4') ? (['#e2737c', '#c25b64', '#f0a3a9', '#9c3f48'][position % 4] ?? BAD) : BAD
}
