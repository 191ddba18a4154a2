import type { UsageInput, usageInput } from '#server/modules/analytics/schema'

/** Ranges that end today, by their number of days. */
export const PRESETS = [
  { value: '1', label: 'Today' },
  { value: '3', label: '3 days' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const
export type Preset = (typeof PRESETS)[number]['value']

const DAY_MS = 86_400_000

/** Returns the UTC days of a preset. */
export function rangeOf(preset: Preset, today: string): UsageInput {
  return { from: new Date(Date.parse(today) - (Number(preset) - 1) * DAY_MS).toISOString().slice(0, 10), to: today }
}

/** Returns the preset that equals a range; undefined for a custom one. */
export const presetOf = (range: UsageInput, today: string): Preset | undefined =>
  PRESETS.map(({ value }) => value).find((preset) => range.to === today && rangeOf(preset, today).from === range.from)

/** Parses the range and split of an address. Fills in missing values: the last 30 days, or up to today; drops invalid ones. */
export function usageFrom(asked: Record<string, string | string[] | undefined>, today: string, schema: typeof usageInput): UsageInput {
  const fallback = rangeOf('30', today)
  const ranges = [asked, { ...asked, to: today }, { ...fallback, split: asked.split }, fallback]
  return ranges.map((one) => schema.safeParse(one).data).find((one) => one !== undefined) ?? fallback
}
