/** One encoding of a clip: its bytes and the quality measured, where more is better. */
export interface RatePoint {
  bytes: number
  quality: number
}

const STEPS = 1_000

/**
 * Returns the Bjøntegaard delta rate: the mean relative difference in bytes that `measured` needs for the quality of `reference`, over the
 * qualities that both reach. −0.2 means a fifth less. Throws if they have no quality in common or fewer than two points.
 */
export function bdRate(reference: readonly RatePoint[], measured: readonly RatePoint[]): number {
  const [a, b] = [curve(reference), curve(measured)]
  const from = Math.max(a.from, b.from)
  const to = Math.min(a.to, b.to)
  if (!(to > from)) throw new Error('The two curves have no quality in common.')
  let sum = 0
  for (let step = 0; step < STEPS; step++) {
    const quality = from + ((to - from) * (step + 0.5)) / STEPS
    sum += b.logBytesAt(quality) - a.logBytesAt(quality)
  }
  return Math.exp(sum / STEPS) - 1
}

/** Interpolates the logarithm of the bytes over the quality with monotone cubics (Fritsch and Carlson 1980), which do not overshoot. */
function curve(points: readonly RatePoint[]) {
  const sorted = points.toSorted((x, y) => x.quality - y.quality)
  if (sorted.length < 2) throw new Error('A curve needs two points.')
  const x = sorted.map(({ quality }) => quality)
  const y = sorted.map(({ bytes }) => Math.log(bytes))
  const at = (list: readonly number[], index: number) => list[index] as number
  const slopes = x.slice(1).map((value, i) => (at(y, i + 1) - at(y, i)) / (value - at(x, i)))
  const tangents = x.map((_, i) => {
    if (i === 0) return at(slopes, 0)
    if (i === x.length - 1) return at(slopes, i - 1)
    const [left, right] = [at(slopes, i - 1), at(slopes, i)]
    return left * right <= 0 ? 0 : (2 * left * right) / (left + right)
  })
  return {
    from: at(x, 0),
    to: at(x, x.length - 1),
    logBytesAt(quality: number): number {
      const i = Math.max(
        0,
        Math.min(
          x.findLastIndex((value) => value <= quality),
          x.length - 2,
        ),
      )
      const width = at(x, i + 1) - at(x, i)
      const t = (quality - at(x, i)) / width
      return (
        at(y, i) * (1 + 2 * t) * (1 - t) ** 2 +
        at(tangents, i) * width * t * (1 - t) ** 2 +
        at(y, i + 1) * t * t * (3 - 2 * t) +
        at(tangents, i + 1) * width * t * t * (t - 1)
      )
    },
  }
}
