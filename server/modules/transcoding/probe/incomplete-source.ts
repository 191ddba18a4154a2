import { spanOf } from '../encode/damage.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import { frameTime, parseRate } from '../plan/segment-grid.ts'
import type { Span } from '../tasks/store.ts'
import { refuseShort, SourceRejectedError, SourceUndecodableError, undecodableBetween } from './source-fault.ts'

/** If a still frame replaces more of a video than this, it shows too little of its source. */
const MOST_REPLACED = 0.5

/** What a plan's tasks yielded: each chunk's frames and each audio track's seconds, in the plan's order. */
interface Yielded {
  frames: readonly number[]
  audioSec: readonly number[]
  /** Spans in which each chunk has no decodable frame. Defaults to none. */
  damage?: readonly (readonly Span[])[]
  /** Tracks of which something could not be decoded, by position. */
  damagedTracks?: readonly number[]
}

/** Throws SourceRejectedError if neither a plan's chunks nor an audio track add up to the source, or frames are missing inside. */
export function refuseIncomplete(plan: TranscodePlan, { frames, audioSec, damage = [], damagedTracks = [] }: Yielded): void {
  const rate = parseRate(plan.facts.frameRate.text)
  const total = frames.reduce((sum, one) => sum + one, 0)
  if (total === 0)
    throw new SourceRejectedError('The video file contains no frames that can be decoded. Export it again and upload the new file.')
  for (const [at, { frames: planned, startFrame, expectedFrames }] of plan.chunks.entries()) {
    const hasLater = frames.slice(at + 1).some((one) => one > 0)
    if (planned === null || (frames[at] ?? 0) >= planned || !hasLater) continue
    const [from, to] = [frameTime(startFrame + (frames[at] ?? 0), rate), frameTime(startFrame + expectedFrames, rate)]
    throw new SourceUndecodableError(undecodableBetween(from, to))
  }
  const replaced = plan.chunks.map((chunk, at) => damage[at]?.some((span) => covers(span, spanOf(plan, chunk))) ?? false)
  const stillFrames = frames.reduce((sum, one, at) => sum + (replaced[at] ? one : 0), 0)
  if (stillFrames > total * MOST_REPLACED)
    throw new SourceUndecodableError('More than half of the video cannot be decoded. Export it again and upload the new file.')
  // Audio extended by silence does not measure how much of the source was decodable.
  const heard = audioSec.filter((_, at) => plan.facts.audio[at]?.endsEarlySec === 0 && !damagedTracks.includes(at))
  const decodedSec = Math.max(Math.min(frameTime(total, rate), lastDecodedSec(plan, damage)), ...heard)
  refuseShort(decodedSec, plan.facts.durationSec)
}

const covers = (span: Span, other: Span) => span.fromSec <= other.fromSec && span.toSec >= other.toSec

/** Returns the end of the last decoded frame: a still frame up to the end does not tell how long the source is. */
function lastDecodedSec(plan: TranscodePlan, damage: readonly (readonly Span[])[]): number {
  const last = plan.chunks.at(-1)
  let endSec = last ? spanOf(plan, last).toSec : 0
  if (!damage.flat().some(({ toSec }) => toSec >= endSec)) return Number.POSITIVE_INFINITY
  for (const { fromSec, toSec } of damage.flat().toReversed()) if (toSec >= endSec) endSec = fromSec
  return endSec
}
