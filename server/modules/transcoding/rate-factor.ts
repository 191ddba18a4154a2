import { describePictureQuality, qualityOf, type StoredQuality } from '../accounts/quality-schema.ts'
import type { Quality } from '../quality/vmaf.ts'
import { RATE_FACTORS, type RateFactors } from './encoders.ts'

/** VMAF that pictures shall reach: their mean and their 5th percentile. */
export interface QualityGoal {
  mean: number
  p5: number
}

/** Search for the rate factors with which the renditions of a video reach a quality. Stored with the plan. */
export interface QualitySearch {
  target: StoredQuality
  /** Seconds of the video whose encoding costs as much as the search at most. */
  costSec: number
  /** Position of the first chunk that waits for the search and is encoded with its result. */
  from: number
  /** Parts of the source in which quality is measured, each of `frames` frames from `startSec` on. */
  spans: { startSec: number; frames: number }[]
  /** Renditions whose rate factors are searched for, the highest first; those of others follow from them. */
  searched: string[]
  /**
   * Rate factors of the first preset whose quality a slower one shall have, in place of that of the target; empty: the usual one. Absent
   * where the target is searched for.
   */
  asBefore?: FoundRateFactor[]
  /** Absent until the search has ended; empty when it found nothing: the usual rate factor then serves. */
  found?: FoundRateFactor[]
}

/** Rate factor of a rendition, and the quality of the samples where it was measured. */
export interface FoundRateFactor {
  quality: string
  rateFactor: number
  measured: Quality | null
}

/** Points from the goal within which the search ends. */
const NEAR = 0.5
/** Measurements that a search makes at most; the cost of a search is planned with it. */
export const MOST_MEASUREMENTS = 4

/** A rate factor with the quality that was measured with it. */
export interface Measured {
  rateFactor: number
  quality: Quality
}

/**
 * Searches for the greatest rate factor with which pictures reach a goal, by at most four measurements. Returns the one
 * whose measured quality is nearest to the goal, the greater of equal ones.
 */
export async function searchRateFactor(
  goal: QualityGoal,
  measure: (rateFactor: number) => Promise<Quality>,
  factors: RateFactors = RATE_FACTORS,
): Promise<Measured> {
  const tried: (Measured & { over: number })[] = []
  for (let next: number | undefined = factors.usual; next !== undefined && tried.length < MOST_MEASUREMENTS; ) {
    const quality = await measure(next)
    tried.push({ rateFactor: next, quality, over: Math.min(quality.mean - goal.mean, quality.p5 - goal.p5) })
    next = nextFactor(tried, factors)
  }
  const [best] = tried.toSorted((a, b) => Math.abs(a.over) - Math.abs(b.over) || b.rateFactor - a.rateFactor)
  if (!best) throw new Error('no rate factor was measured')
  return { rateFactor: best.rateFactor, quality: best.quality }
}

/** Returns the rate factor to measure next; undefined when the last one is near the goal, or no other is likely to be nearer. */
function nextFactor(
  tried: readonly { rateFactor: number; over: number }[],
  { least, most, step, slope: slopes }: RateFactors,
): number | undefined {
  const last = tried.at(-1)
  if (!last || Math.abs(last.over) <= NEAR) return undefined
  const other = tried.at(-2)
  const found = other ? (other.over - last.over) / (last.rateFactor - other.rateFactor) : slopes.usual
  const slope = Math.min(slopes.most, Math.max(slopes.least, found))
  const rounded = Math.round((last.rateFactor + last.over / slope) / step) * step
  const next = Math.min(most, Math.max(least, rounded))
  return tried.some(({ rateFactor }) => rateFactor === next) ? undefined : next
}

/** Returns the rate factor of a side between two that were searched for; that of the nearer one beyond them. */
export function factorBetween(
  side: number,
  from: { side: number; rateFactor: number },
  to: { side: number; rateFactor: number },
  { step }: RateFactors = RATE_FACTORS,
): number {
  const share = Math.min(1, Math.max(0, Math.log(from.side / side) / Math.log(from.side / to.side)))
  return Math.round((from.rateFactor + share * (to.rateFactor - from.rateFactor)) / step) * step
}

/** Returns what a search found, for the video's log; undefined where it found nothing. */
export function describeRateFactors(search: QualitySearch | undefined): string | undefined {
  if (!search?.found?.length) return undefined
  const shown = search.found.map(({ quality, rateFactor, measured }) => {
    const vmaf = measured ? ` (VMAF ${measured.mean.toFixed(1)}, 5th percentile ${measured.p5.toFixed(1)})` : ''
    return `${quality} ${rateFactor}${vmaf}`
  })
  const aim = search.asBefore ? 'the quality that the video had' : describePictureQuality(qualityOf(search.target))
  return `Rate factors for ${aim}: ${shown.join(', ')}.`
}
