const DAY_MS = 86_400_000

/** A quota's pace is judged from this fraction of it (as a divisor): the first tokens of a day say nothing. */
const JUDGED_FROM = 10n

interface Consumption {
  /** Tokens that count against the quota since midnight UTC. */
  used: number
  /** Tokens of the UTC day. */
  limit: number
  now: Date
}

/**
 * Returns when a quota is used up if the day continues at its average pace since midnight UTC, rounded up to the millisecond. Null if it
 * lasts the day, is already used up, or less than a tenth of it is used. Exact: computes with integers.
 */
export function exhaustedAt({ used, limit, now }: Consumption): Date | null {
  if (used <= 0 || used >= limit || BigInt(used) * JUDGED_FROM < BigInt(limit)) return null
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const elapsed = BigInt(now.getTime() - midnight)
  // At `used / elapsed` tokens per millisecond, the last token is issued here.
  const at = Number((elapsed * BigInt(limit) + BigInt(used) - 1n) / BigInt(used))
  return at < DAY_MS ? new Date(midnight + at) : null
}
