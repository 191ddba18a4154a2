const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const hour = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' })

/** Formats `2026-11-21` as Nov 21 and `2026-11-21T14:00Z` as 14:00. UTC. */
export const formatMoment = (at: string) => (at.includes('T') ? hour.format(new Date(at)) : day.format(new Date(`${at}T00:00Z`)))

/** Formats a response time: 0.4 ms, 12 ms, 1.2 s. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${ms < 10 ? Number(ms.toPrecision(2)) : Math.round(ms)} ms`
}
