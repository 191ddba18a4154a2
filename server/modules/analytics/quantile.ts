import { STARTUP_BOUNDS } from './viewing-schema.ts'

/** The time, in the unit of `bounds`, that a share `of` the things counted in these buckets kept to; null when there were none. */
export function quantile(buckets: readonly number[], of: number, bounds: readonly number[] = STARTUP_BOUNDS): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = total * of
  let before = 0
  for (const [at, count] of buckets.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = bounds[at - 1] ?? 0
      // Beyond the last bound nothing is known but that it was longer.
      const to = bounds[at] ?? from
      return from + ((wanted - before) / count) * (to - from)
    }
    before += count
  }
  return bounds.at(-1) ?? null
}
