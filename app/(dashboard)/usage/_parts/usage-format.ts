const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const hour = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
})

/** Formats `2026-11-21` as Nov 21 and `2026-11-21T14:00Z` as Nov 21, 14:00. UTC. */
export const formatMoment = (at: string) => (at.includes('T') ? hour.format(new Date(at)) : day.format(new Date(`${at}T00:00Z`)))

/** Formats a part of a whole as a percentage. */
export function formatPart(part: number, whole: number): string {
  if (whole === 0) return '–'
  const share = (100 * part) / whole
  return `${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)}%`
}
