/** Formats a size in decimal units, as file managers and storage bills do: 12.4 MB. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  if (bytes < 0) return `−${formatBytes(-bytes)}`
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** Formats the duration of a video: 0:20, 12:05, 1:02:05. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const tail = `${hours > 0 ? String(minutes).padStart(2, '0') : minutes}:${String(rest).padStart(2, '0')}`
  return hours > 0 ? `${hours}:${tail}` : tail
}

/** Formats a wait in words: 40 s, 3 min, 1 h 20 min. Coarse, because estimates are. */
export function formatWait(seconds: number): string {
  if (seconds < 59.5) return `${Math.max(1, Math.round(seconds))} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Formats a measured wait: 0 s, 0.4 s, 12 s, 3 min. */
export const formatSeconds = (seconds: number) => (seconds < 9.95 ? `${Number(seconds.toFixed(1))} s` : formatWait(seconds))

const grouped = new Intl.NumberFormat('en')
export const formatCount = (count: number) => grouped.format(count)

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
/** Formats a count in short, for an axis: 950, 1.2K, 16K, 2.5M. */
export const formatCompact = (count: number) => compact.format(count)

/** Formats a share as a percentage: 0%, < 0.1%, 0.4%, 12%; a dash without a whole. */
export function formatShare(share: number | null): string {
  if (share === null || !Number.isFinite(share)) return '–'
  const percent = 100 * share
  if (percent > 0 && percent < 0.05) return '< 0.1%'
  return `${percent > 0 && percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`
}

const STEPS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/**
 * Formats a time relative to `now`: just now, 5 minutes ago, yesterday, in 7 days. What is past is complete units; what is ahead is rounded,
 * so that a week that has just begun is 7 days.
 */
export function formatAgo(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1000
  if (seconds < 0) {
    const step = STEPS.find(([, size]) => -seconds >= size)
    return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : 'just now'
  }
  // “Next month” may be in two days: up to two months are days, up to two years are months.
  const least = (size: number) => (size > 86_400 ? 2 * size : size)
  const step = STEPS.find(([, size], at) => roundTo(STEPS[at + 1]?.[1] ?? 1, seconds) >= least(size))
  return step ? relative.format(Math.round(seconds / step[1]), step[0]) : 'just now'
}

const roundTo = (size: number, seconds: number) => Math.round(seconds / size) * size

/** Formats the time since `date` as a duration, in complete units: 31 minutes, 2 days. */
export function formatElapsed(date: Date, now: number): string {
  const seconds = Math.max(0, (now - date.getTime()) / 1000)
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? (['minute', 60] as const)
  const count = Math.trunc(seconds / size)
  if (count === 0) return 'less than a minute'
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

/** Holds the zone in which the reader wants times, so that the server renders the same ones. */
export const ZONE_COOKIE = 'reelgate-zone'

type Parts = Intl.DateTimeFormatOptions
const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats a time in a time zone; UTC says so. A format is kept: to make one takes longer than a table of times. */
function inZone(date: Date, zone: string | undefined, parts: Parts): string {
  const name = `${zone} ${Object.entries(parts)}`
  const format = formats.get(name) ?? new Intl.DateTimeFormat('en', { ...parts, timeZone: zone, hourCycle: 'h23' })
  formats.set(name, format)
  return `${format.format(date)}${zone === 'UTC' ? ' UTC' : ''}`
}

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const satisfies Parts
const DAY_AND_CLOCK = { month: 'short', day: 'numeric', ...CLOCK } as const satisfies Parts

/** Formats a time of day: 14:03. */
export const formatClock = (date: Date, zone: string) => inZone(date, zone, CLOCK)

/** Formats the day of a time: Sat, November 21, 2026. */
export const formatDay = (date: Date, zone: string) =>
  inZone(date, zone, { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' })

/** Formats a time to the minute: Nov 21, 14:03. */
export const formatMinute = (date: Date, zone: string) => inZone(date, zone, DAY_AND_CLOCK)

/** Formats a time to the second or the millisecond, with its day unless it is today, and its year unless it is this one: Nov 21, 14:03:22. */
export function formatTime(date: Date, zone: string, { milliseconds = false } = {}): string {
  const now = new Date()
  const dayOf = (one: Date) => inZone(one, zone, { dateStyle: 'short' })
  const yearOf = (one: Date) => inZone(one, zone, { year: 'numeric' })
  return inZone(date, zone, {
    ...(yearOf(date) !== yearOf(now) && { year: 'numeric' }),
    ...(dayOf(date) === dayOf(now) ? CLOCK : DAY_AND_CLOCK),
    second: '2-digit',
    ...(milliseconds && { fractionalSecondDigits: 3 }),
  })
}

/** Formats the exact time, in the reader's time zone and in UTC. */
export function formatExact(date: Date): string {
  const parts = { dateStyle: 'medium', timeStyle: 'medium' } as const
  return `${inZone(date, undefined, parts)} local time\n${inZone(date, 'UTC', parts)}`
}

/** Formats a response time given in milliseconds: < 0.1 ms, 0.4 ms, 12 ms, 1.2 s; a dash without one. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms >= 999.5) return `${(ms / 1_000).toFixed(1)} s`
  if (ms > 0 && ms < 0.1) return '< 0.1 ms'
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`
}
