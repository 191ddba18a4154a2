import { formatCount } from '../../../../_ui/format'

/** Formats minutes with grouping, and with a decimal below ten. */
export const formatMinutes = (minutes: number) => (minutes > 0 && minutes < 10 ? minutes.toFixed(1) : formatCount(Math.round(minutes)))

/** Formats a startup time given in milliseconds: 320 ms, 1.4 s. */
export const formatStartup = (ms: number | null) => (ms === null ? '–' : ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`)

/** Formats a share as a percentage; small ones keep a decimal. */
export const formatShare = (share: number | null) =>
  share === null ? '–' : `${share > 0 && share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)}%`

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
/** Formats `2026-11-21` as Nov 21. */
export const formatDay = (date: string) => day.format(new Date(`${date}T00:00:00Z`))
