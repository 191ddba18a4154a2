/** Retention of the request log, in days. */
export const LOG_DAYS = 7

/** Shortest text to search for: an index finds no shorter one. */
export const MIN_SEARCH = 3
export const MAX_SEARCH = 80

/** Named ranges of the request log, in minutes. Without one, the whole log is shown. */
export const LOG_RANGES = { '15m': 15, '1h': 60, '24h': 1_440 } as const
export type LogRange = keyof typeof LOG_RANGES

/** Retention of hourly counters, in days; daily counters are kept. */
export const HOURS_KEPT_DAYS = 35

/** Maximum range, in days, that is shown by hour. */
export const HOURLY_DAYS = 3

/** Maximum range of a request, in days. */
export const MAX_DAYS = 366
