/** Returns the seconds that a header `Retry-After` asks for, as a number or a date. Undefined if it asks for none. */
export function parseRetryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const seconds = /^\d{1,9}$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}
