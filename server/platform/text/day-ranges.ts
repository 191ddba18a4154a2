/** Ranges of UTC days relative to today, by the name that URLs and saved filters hold. */
export const DAY_RANGES = ['today', 'yesterday', '3d', '7d', '30d', '90d', '12m', 'month', 'last-month'] as const
export type DayRangeName = (typeof DAY_RANGES)[number]

/** A range of UTC days, `YYYY-MM-DD`, both ends included. */
export interface DayRange {
  from: string
  to: string
}

/** A range as requested: a name, or days. A missing end is open. */
export interface AskedRange {
  range?: DayRangeName | undefined
  from?: string | undefined
  to?: string | undefined
}

const DAY_MS = 86_400_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const LENGTHS: Partial<Record<DayRangeName, number>> = { today: 1, '3d': 3, '7d': 7, '30d': 30, '90d': 90, '12m': 365 }

/** Returns the days of a named range, where `today` is a UTC day. */
export function daysNamed(name: DayRangeName, today: string): DayRange {
  const length = LENGTHS[name]
  if (length !== undefined) return { from: dayOf(Date.parse(today) - (length - 1) * DAY_MS), to: today }
  const first = `${today.slice(0, 7)}-01`
  if (name === 'month') return { from: first, to: today }
  const before = dayOf(Date.parse(name === 'yesterday' ? today : first) - DAY_MS)
  return { from: name === 'yesterday' ? before : `${before.slice(0, 7)}-01`, to: before }
}

/** Returns the days of a range, where `today` is a UTC day. A name takes precedence over days. */
export const daysAsked = ({ range, from, to }: AskedRange, today: string): Partial<DayRange> =>
  range ? daysNamed(range, today) : { ...(from && { from }), ...(to && { to }) }
