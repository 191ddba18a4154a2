import { STARTUP_BOUNDS } from './viewing/viewing-schema.ts'

/** Returns the quantile `of` (0 to 1) of a histogram, interpolated, in the unit of `bounds`. Null if the histogram is empty. */
export function quantile(buckets: readonly number[], of: number, bounds: readonly number[] = STARTUP_BOUNDS): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = total * of
  let before = 0
  for (const [at, count] of buckets.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = bounds[at - 1] ?? 0
      // The last bucket has no upper bound.
      const to = bounds[at] ?? from
      return from + ((wanted - before) / count) * (to - from)
    }
    before += count
  }
  return bounds.at(-1) ?? null
}
