import { STARTUP_BOUNDS } from './schema.ts'

/** The start-up time, in milliseconds, that a share `of` the plays in these buckets kept to; null when there were none. */
export function quantile(buckets: readonly number[], of: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = total * of
  let before = 0
  for (const [at, count] of buckets.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = STARTUP_BOUNDS[at - 1] ?? 0
      // Beyond the last bound nothing is known but that it was longer.
      const to = STARTUP_BOUNDS[at] ?? from
      return Math.round(from + ((wanted - before) / count) * (to - from))
    }
    before += count
  }
  return STARTUP_BOUNDS.at(-1) ?? null
}
