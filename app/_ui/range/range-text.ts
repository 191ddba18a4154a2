/** A range as an address holds it: a name, or its ends; empty for all of time. Days, or instants where the time of day matters. */
export interface RangeValue<Name extends string = string> {
  range?: Name | undefined
  /** `2026-11-21`, or `2026-11-21T14:00:00.000Z`. */
  from?: string | undefined
  /** The last day, or the instant at which the range ends. */
  to?: string | undefined
}

/** Labels of the named ranges of all pages. */
export const RANGE_LABELS = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  today: 'Today',
  yesterday: 'Yesterday',
  '3d': 'Last 3 days',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12m': 'Last 12 months',
  month: 'This month',
  'last-month': 'Last month',
} as const
export type RangeName = keyof typeof RANGE_LABELS

const DAY_MS = 86_400_000
const utc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' })
const [day, dayAndYear] = [utc({ month: 'short', day: 'numeric' }), utc({ month: 'short', day: 'numeric', year: 'numeric' })]
const clockOf = (at: string) => (at.includes('T') ? `, ${at.slice(11, 16)}` : '')

/** Names a range: `Last 7 days`, `Nov 1 – Nov 10, 2026`, `Nov 21, 14:00 – 15:00`, `Since Nov 1, 2026`; `any` for all of time. */
export function rangeText({ range, from, to }: RangeValue, any: string): string {
  if (range) return RANGE_LABELS[range as RangeName] ?? range
  const whole = (at: string) => `${(at.includes('T') ? day : dayAndYear).format(new Date(at))}${clockOf(at)}`
  if (from && to) {
    if (from === to) return whole(from)
    if (!from.includes('T')) return `${(from.slice(0, 4) === to.slice(0, 4) ? day : dayAndYear).format(new Date(from))} – ${whole(to)}`
    return `${whole(from)} – ${from.slice(0, 10) === to.slice(0, 10) ? to.slice(11, 16) : whole(to)}`
  }
  if (from) return `Since ${whole(from)}`
  return to ? `Until ${whole(to)}` : any
}

/**
 * Returns an instant as the clock of a time zone shows it, written as if it were UTC, as the other functions here expect; days, which have no
 * time zone, unchanged.
 */
export function wallOf(at: string, zone: string): string
export function wallOf(at: string | undefined, zone: string): string | undefined
export function wallOf(at: string | undefined, zone: string): string | undefined {
  if (zone === 'UTC' || !at?.includes('T')) return at
  // Swedish writes 2026-11-21 14:03.
  const shown = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short', timeZone: zone }).format(new Date(at))
  return `${shown.replace(' ', 'T')}:00.000Z`
}

/** Returns the instant at which the reader's clock, or in UTC, shows a time that is written as if it were UTC. */
export const instantOf = (wall: string, zone: string) => (zone === 'UTC' ? wall : new Date(wall.slice(0, -1)).toISOString())

/** Returns an end of a range as a field shows it: `2026-11-21`, `2026-11-21 14:00`. */
export const fieldText = (at: string | undefined) => (at === undefined ? '' : at.slice(0, at.includes('T') ? 16 : 10).replace('T', ' '))

/**
 * Reads a field: the day, or the instant when `timed`, where a day alone is its beginning. Returns undefined for an empty field, and null
 * for a text that is neither.
 */
export function readField(text: string, timed: boolean): string | null | undefined {
  const [, date, time = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?$/.exec(text.trim()) ?? []
  if (text.trim() === '') return undefined
  const at = new Date(`${date}T${time}:00Z`)
  // The engine accepts February 30 as a day of March.
  if (date === undefined || Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== date) return null
  if (!timed) return text.trim() === date ? date : null
  return at.toISOString()
}

/** Returns the ends of a range of whole days as a page's fields take them. */
export const endsOf = (first: string, last: string, timed: boolean) =>
  timed
    ? { from: `${first} 00:00`, to: `${new Date(Date.parse(last) + DAY_MS).toISOString().slice(0, 10)} 00:00` }
    : { from: first, to: last }

/** Returns the last day that the text of a range's end covers; null when it is no day. */
export function lastDayOf(text: string, timed: boolean): string | null {
  const at = readField(text, timed)
  if (!at) return null
  return timed ? new Date(Date.parse(at) - 1).toISOString().slice(0, 10) : at
}

/** Returns what is wrong with a custom range, by its field; empty when nothing is. */
export function problemOf(
  { from, to }: { from: string | null | undefined; to: string | null | undefined },
  { timed, open, maxDays }: { timed: boolean; open: boolean; maxDays?: number | undefined },
): { from?: string; to?: string } {
  const form = timed ? 'Use YYYY-MM-DD HH:MM.' : 'Use YYYY-MM-DD.'
  if (from === null || to === null) return { ...(from === null && { from: form }), ...(to === null && { to: form }) }
  if (!open && (!from || !to)) return from ? { to: 'Enter a day.' } : { from: 'Enter a day.' }
  if (!from || !to) return {}
  if (timed ? from >= to : from > to) return { to: timed ? 'Enter a time after the first one.' : 'Enter a day after the first one.' }
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + (timed ? 0 : 1)
  return maxDays !== undefined && days > maxDays ? { from: `Choose at most ${maxDays} days.` } : {}
}
