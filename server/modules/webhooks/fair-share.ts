/** What an endpoint could use. */
export interface Asking {
  id: string
  failing: boolean
  /** How many more it may have. */
  room: number
}

/**
 * Shares free places among the endpoints that ask, evenly, whatever each has queued; what one cannot use goes to the others. Those that fail
 * get half of them at most, and no more than `forFailing` together: however many are dead, the rest have places left.
 */
export function fairShare(asking: readonly Asking[], free: number, forFailing: number): Map<string, number> {
  const failing = share(
    asking.filter((one) => one.failing),
    Math.min(Math.ceil(free / 2), forFailing),
  )
  const taken = [...failing.values()].reduce((total, part) => total + part, 0)
  const well = share(
    asking.filter((one) => !one.failing),
    free - taken,
  )
  return new Map([...well, ...failing])
}

/** Those that want least are served first, so that each later one's even share is at least as large. */
function share(asking: readonly Asking[], places: number): Map<string, number> {
  const shares = new Map<string, number>()
  const sorted = asking.filter(({ room }) => room > 0).sort((a, b) => a.room - b.room)
  let left = Math.max(0, places)
  for (const [index, { id, room }] of sorted.entries()) {
    const part = Math.min(room, Math.ceil(left / (sorted.length - index)))
    if (part > 0) shares.set(id, part)
    left -= part
  }
  return shares
}
