import { QUALITIES } from '../../videos/schema.ts'

/** One rendition to encode. Bit rates in bits per second. */
export interface RenditionSpec {
  /** `<height>p`, height being the shorter side. */
  quality: string
  width: number
  height: number
  /** Limit of the CRF encoder's rate over a second or two. */
  maxVideoRate: number
}

/** Shorter sides of the standard renditions, highest first. */
const STEPS = QUALITIES.map((quality) => Number.parseInt(quality, 10))

/** Maximum video rates at 30 frames per second and 16:9. Rates in between are interpolated by pixel count. */
const RATES: readonly [shorterSide: number, bitsPerSecond: number][] = [
  [144, 200_000],
  [240, 400_000],
  [360, 800_000],
  [480, 1_400_000],
  [720, 2_800_000],
  [1080, 5_000_000],
  [1440, 9_000_000],
  [2160, 16_000_000],
]

/** A standard rendition closer to the top one than this ratio costs encoding without a benefit. */
const NEAR = 0.85

/**
 * Returns the renditions of a source `width`×`height` (square pixels, after rotation): at most its own size and the target, then the
 * standard ones below. Never upscaled; at least one. A source between two standard sizes keeps its own size as the top one.
 */
export function ladder(source: { width: number; height: number; frameRate: number }, targetQuality: string): RenditionSpec[] {
  const shorter = even(Math.min(source.width, source.height))
  const top = Math.min(shorter, Number.parseInt(targetQuality, 10) || shorter)
  const sides = [top, ...STEPS.filter((step) => step <= top * NEAR)]
  return sides.map((side) => renditionOf(source, side))
}

function renditionOf({ width, height, frameRate }: { width: number; height: number; frameRate: number }, side: number): RenditionSpec {
  const scale = side / Math.min(width, height)
  const longest = Math.max(width, height)
  const longer = Math.max(side, Math.min(Math.round((longest * scale) / 2) * 2, even(longest)))
  const [w, h] = width >= height ? [longer, side] : [side, longer]
  // 60 frames per second need less than twice the rate of 30, since consecutive frames differ less.
  const pace = frameRate > 33 ? 1.5 : 1
  const maxVideoRate = Math.round((rateFor(w * h) * pace) / 1_000) * 1_000
  return { quality: `${side}p`, width: w, height: h, maxVideoRate }
}

/** Encoders accept only even sides, and rounding up would upscale. */
const even = (side: number) => Math.max(2, Math.floor(side / 2) * 2)

function rateFor(pixels: number): number {
  const points = RATES.map(([side, rate]) => ({ pixels: (side * side * 16) / 9, rate }))
  const above = points.findIndex((point) => point.pixels >= pixels)
  const high = points[above]
  const low = points[above - 1]
  if (!high) return points.at(-1)?.rate ?? 0
  if (!low) return high.rate
  return low.rate + ((high.rate - low.rate) * (pixels - low.pixels)) / (high.pixels - low.pixels)
}
