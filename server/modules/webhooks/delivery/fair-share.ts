/** The demand of one endpoint. */
export interface Asking {
  id: string
  failing: boolean
  /** Maximum of additional deliveries. */
  room: number
}

/**
 * Divides `free` places evenly among the endpoints, whatever each has queued; places that one cannot use go to the others. Failing
 * endpoints get at most half of the places and at most `forFailing` together, so that they cannot block the working ones.
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

/** Serves the smallest demand first, so that each later even share is at least as large. */
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
