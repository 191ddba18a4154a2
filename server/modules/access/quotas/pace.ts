const DAY_MS = 86_400_000

/** Share of a quota, as a divisor, from which its pace is judged: the first tokens of a day say nothing. */
const JUDGED_FROM = 10n

interface Consumption {
  /** Tokens that count against the quota since midnight UTC. */
  used: number
  /** Tokens of the UTC day. */
  limit: number
  now: Date
}

/**
 * Returns when a quota is used up if the day goes on at its average pace since midnight UTC, rounded up to the millisecond; null when it
 * lasts the day, is used up already, or less than a tenth of it is used. Exact: computes with integers.
 */
export function exhaustedAt({ used, limit, now }: Consumption): Date | null {
  if (used <= 0 || used >= limit || BigInt(used) * JUDGED_FROM < BigInt(limit)) return null
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const elapsed = BigInt(now.getTime() - midnight)
  // At `used / elapsed` tokens a millisecond, the last token is issued here.
  const at = Number((elapsed * BigInt(limit) + BigInt(used) - 1n) / BigInt(used))
  return at < DAY_MS ? new Date(midnight + at) : null
}
