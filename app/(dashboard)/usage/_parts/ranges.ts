import type { UsageInput, usageInput } from '#server/modules/analytics/schema'

/** Ranges that end today, by how many days they have. */
export const PRESETS = [
  { value: '1', label: 'Today' },
  { value: '3', label: '3 days' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const
export type Preset = (typeof PRESETS)[number]['value']

const DAY_MS = 86_400_000

/** The UTC days of a preset. */
export function rangeOf(preset: Preset, today: string): UsageInput {
  return { from: new Date(Date.parse(today) - (Number(preset) - 1) * DAY_MS).toISOString().slice(0, 10), to: today }
}

/** The preset that a range is; undefined for one of people's own. */
export const presetOf = (range: UsageInput, today: string): Preset | undefined =>
  PRESETS.map(({ value }) => value).find((preset) => range.to === today && rangeOf(preset, today).from === range.from)

/** What an address asks to see. What it leaves out is filled in: the last 30 days, or up to today; what it cannot have is left out. */
export function usageFrom(asked: Record<string, string | string[] | undefined>, today: string, schema: typeof usageInput): UsageInput {
  const fallback = rangeOf('30', today)
  const ranges = [asked, { ...asked, to: today }, { ...fallback, split: asked.split }, fallback]
  return ranges.map((one) => schema.safeParse(one).data).find((one) => one !== undefined) ?? fallback
}
