import { type PICTURE_QUALITIES, qualityOf, type StoredQuality } from '../../identity/accounts/quality-schema.ts'
import { AV1_RATE_FACTORS, HDR_RATE_FACTORS, RATE_FACTORS, type RateFactors } from '../plan/encoders.ts'
import type { RenditionSpec } from '../plan/ladder.ts'
import { type Chunk, encodedRenditions, type TranscodePlan } from '../plan/plan.ts'
import { frameTime, parseRate } from '../plan/segment-grid.ts'
import type { QualityGoal, QualitySearch } from './rate-factor.ts'

/** VMAF of the highest rendition. A lower one may lose the same from what its size leaves. */
export const GOALS: Record<(typeof PICTURE_QUALITIES)[number], QualityGoal> = {
  economy: { mean: 89, p5: 82 },
  standard: { mean: 93, p5: 88 },
  high: { mean: 95.5, p5: 91.5 },
}

/** Returns the goal of a picture quality: its name's, or its own numbers. */
export function goalOf(target: StoredQuality): QualityGoal {
  const quality = qualityOf(target)
  return typeof quality === 'string' ? GOALS[quality] : { mean: quality.vmafMean, p5: quality.vmafP5 }
}

/**
 * Share of a video's encoding work that the search may cost: usually, for a new video; for one so short that this is too little for the
 * fewest samples; and for a video that viewers can watch while it is re-encoded.
 */
export const COST = { usual: 0.035, short: 0.11, again: 0.15 }
/**
 * Seconds of the video that are encoded in the processor time of one second of samples, at most: up to four encodes of each searched
 * rendition, and as many measurements, which weigh less beside SVT-AV1 and a slower preset.
 */
const SAMPLE_COST = { usual: 11, again: 7 }
/** Seconds of samples: fewer say nothing, and more tell little further. */
const SAMPLE_SEC = { least: 1, most: 4 }
const SPANS = 4
/** Chunks that start earlier are encoded at once with the usual rate factor, so that playback can continue in the meantime. */
const AT_ONCE = { leastSec: 12, share: 0.05, mostSec: 60 }
/** Screen height that VMAF's default model is made for. */
const SCREEN_LINES = 1080
/** Smallest shorter side to measure. */
const LEAST_SIDE = 128
/** A rendition with at most this share of the highest one's height is searched for as well. */
const LOW_SIDE = 0.6

const sideOf = ({ width, height }: { width: number; height: number }) => Math.min(width, height)

/** Returns the size in which every rendition's quality is measured: the highest one's, at most the model's screen. */
export function displayOf({ renditions }: Pick<TranscodePlan, 'renditions'>): { width: number; height: number } {
  const [top] = renditions as [RenditionSpec]
  const scale = Math.min(1, SCREEN_LINES / sideOf(top))
  const even = (side: number) => Math.round((side * scale) / 2) * 2
  return { width: even(top.width), height: even(top.height) }
}

/** Plans a video's search. Undefined if it would cost too much for the video's length, or cannot be measured, such as HDR. Pure. */
export function planSearch(plan: TranscodePlan, target: StoredQuality): QualitySearch | undefined {
  const { facts, chunks } = plan
  if (facts.hdr || facts.interlaced) return undefined
  const encoded = encodedRenditions(plan)
  const [highest] = encoded
  if (!highest || sideOf(highest) < LEAST_SIDE) return undefined
  const rate = parseRate(facts.frameRate.text)
  const laterSec = Math.min(AT_ONCE.mostSec, Math.max(AT_ONCE.leastSec, AT_ONCE.share * facts.durationSec))
  // Additional renditions, and those of a slower preset, are offered once all are complete, so none needs a beginning.
  const from = plan.codec || plan.preset ? 0 : chunks.findIndex(({ startFrame }) => frameTime(startFrame, rate) >= laterSec)
  if (from < 1 && !plan.codec && !plan.preset) return undefined
  const low = encoded.find((one) => sideOf(one) >= LEAST_SIDE && sideOf(one) <= sideOf(highest) * LOW_SIDE)
  const searched = low ? [highest, low] : [highest]
  const [share, most, cost] =
    plan.codec || plan.preset ? [COST.again, COST.again, SAMPLE_COST.again] : [COST.usual, COST.short, SAMPLE_COST.usual]
  if ((most * facts.durationSec) / cost < SAMPLE_SEC.least) return undefined
  const seconds = Math.min(SAMPLE_SEC.most, Math.max(SAMPLE_SEC.least, (share * facts.durationSec) / cost))
  const frames = Math.floor((seconds / SPANS) * facts.frameRate.value)
  if (frames < 1) return undefined
  return {
    target,
    from,
    costSec: round((SPANS * frames * cost) / facts.frameRate.value),
    spans: Array.from({ length: SPANS }, (_, at) => ({ startSec: round(((at + 0.5) / SPANS) * facts.durationSec), frames })),
    searched: searched.map(({ quality }) => quality),
  }
}

/**
 * Plans the search of a video re-encoded with a slower preset: for the quality of its renditions, with the rate factors `former` found
 * (null: the usual one). Chunks that had the usual one keep it. Undefined as for `planSearch`. Pure.
 */
export function planEqualSearch(plan: TranscodePlan, former: QualitySearch | null, target: StoredQuality): QualitySearch | undefined {
  const search = planSearch(plan, former?.target ?? target)
  return search && { ...search, from: former?.from ?? 0, asBefore: former?.found ?? [] }
}

/** Returns the scale of rate factors of a plan's encoder. */
export const rateFactorsFor = ({ codec }: Pick<TranscodePlan, 'codec'>): RateFactors => (codec ? AV1_RATE_FACTORS : RATE_FACTORS)

const round = (seconds: number) => Math.round(seconds * 1_000) / 1_000

/** Returns the rate factor of each rendition that a chunk encodes. Empty: the usual SDR one. */
export function rateFactorsOf(
  plan: Pick<TranscodePlan, 'renditions' | 'copy' | 'search' | 'codec' | 'hdr' | 'facts'>,
  { position }: Pick<Chunk, 'position'>,
): number[] {
  const { search } = plan
  const { hdr } = plan.facts
  if (plan.hdr && hdr) return encodedRenditions(plan).map(() => HDR_RATE_FACTORS[hdr])
  if (!search?.found?.length || position < search.from) return []
  return encodedRenditions(plan).map(
    ({ quality }) => search.found?.find((one) => one.quality === quality)?.rateFactor ?? rateFactorsFor(plan).usual,
  )
}
