import { describePictureQuality, qualityOf, type StoredQuality } from '../../identity/accounts/quality-schema.ts'
import type { Quality } from '../measure-quality.ts'
import { RATE_FACTORS, type RateFactors } from '../plan/encoders.ts'

/** VMAF that frames should reach: their mean and their 5th percentile. */
export interface QualityGoal {
  mean: number
  p5: number
}

/** Search for the rate factors with which a video's renditions reach a quality. Stored with the plan. */
export interface QualitySearch {
  target: StoredQuality
  /** Seconds of the video whose encoding costs at most as much as the search. */
  costSec: number
  /** Position of the first chunk that waits for the search and is encoded with its result. */
  from: number
  /** Parts of the source in which to measure quality, each of `frames` frames from `startSec` on. */
  spans: { startSec: number; frames: number }[]
  /** Renditions whose rate factors are searched for, highest first. The others' follow from them. */
  searched: string[]
  /**
   * Rate factors of the first preset whose quality a slower one should match, in place of the target's. Empty: the usual one. Absent if the
   * target is searched for.
   */
  asBefore?: FoundRateFactor[]
  /** Absent until the search has ended. Empty if it found nothing, so that the usual rate factor applies. */
  found?: FoundRateFactor[]
}

/** A rendition's rate factor, and the quality of the samples if it was measured. */
export interface FoundRateFactor {
  quality: string
  rateFactor: number
  measured: Quality | null
}

/** The search ends within this many points of the goal. */
const NEAR = 0.5
/** Maximum number of measurements per search. */
const MOST_MEASUREMENTS = 4
/** Below this many points of VMAF, a loss says nothing about others: VMAF ends at 100. */
const LEAST_LOSS = 0.25

/** A rate factor with the quality measured for it. */
export interface Measured {
  rateFactor: number
  quality: Quality
}

/** Quality that is searched for. */
export interface SearchGoal {
  goal: QualityGoal
  /** Quality without encoding loss. Defaults to the maximum. */
  lossless?: QualityGoal
  /** The encoder's scale. Defaults to x264's. */
  factors?: RateFactors
}

const METRICS = ['mean', 'p5'] as const
const LOSSLESS: QualityGoal = { mean: 100, p5: 100 }

/**
 * Searches for the highest rate factor with which frames reach a goal, with at most four measurements. Returns the one whose measured
 * quality is nearest to the goal, the higher of equal ones.
 */
export async function searchRateFactor(search: SearchGoal, measure: (rateFactor: number) => Promise<Quality>): Promise<Measured> {
  const { goal, factors = RATE_FACTORS } = search
  const tried: Tried[] = []
  for (let next: number | undefined = factors.usual; next !== undefined && tried.length < MOST_MEASUREMENTS; ) {
    const quality = await measure(next)
    tried.push({ rateFactor: next, quality, over: Math.min(...METRICS.map((metric) => quality[metric] - goal[metric])) })
    next = nextFactor(tried, search)
  }
  const [best] = tried.toSorted((a, b) => Math.abs(a.over) - Math.abs(b.over) || b.rateFactor - a.rateFactor)
  if (!best) throw new Error('no rate factor was measured')
  return { rateFactor: best.rateFactor, quality: best.quality }
}

interface Tried extends Measured {
  /** Points above the goal, for the metric that is nearest to it or furthest below. */
  over: number
}

/**
 * Returns the rate factor to measure next; undefined when the last one is near the goal, or no other is likely to be nearer. The loss of VMAF
 * grows exponentially with the rate factor, as the steps of the quantizer do.
 */
function nextFactor(tried: readonly Tried[], { goal, lossless = LOSSLESS, factors = RATE_FACTORS }: SearchGoal): number | undefined {
  const last = tried.at(-1)
  if (!last || Math.abs(last.over) <= NEAR) return undefined
  const other = otherSide(tried, last) ?? tried.at(-2)
  const logOf = (points: number) => Math.log(Math.max(LEAST_LOSS, points))
  const reaching = METRICS.map((metric) => {
    const lossOf = ({ quality }: Tried) => logOf(lossless[metric] - quality[metric])
    const { usual, least, most } = factors.growth
    const found = other ? (lossOf(last) - lossOf(other)) / (last.rateFactor - other.rateFactor) : usual
    return last.rateFactor + (logOf(lossless[metric] - goal[metric]) - lossOf(last)) / Math.min(most, Math.max(least, found))
  })
  const rounded = Math.round(Math.min(...reaching) / factors.step) * factors.step
  const next = Math.min(factors.most, Math.max(factors.least, rounded))
  return tried.some(({ rateFactor }) => rateFactor === next) ? undefined : next
}

/** Returns the nearest rate factor to that of `last` whose quality is on the other side of the goal. */
const otherSide = (tried: readonly Tried[], last: Tried): Tried | undefined =>
  tried
    .filter(({ over }) => over > 0 !== last.over > 0)
    .toSorted((a, b) => Math.abs(a.rateFactor - last.rateFactor) - Math.abs(b.rateFactor - last.rateFactor))[0]

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
