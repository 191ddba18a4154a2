import type { TranscodePlan } from './plan.ts'
import { frameTime, parseRate } from './segment-grid.ts'
import { clock, timecode } from './source-fault.ts'
import { SourceRejectedError } from './source-rejected.ts'

/** A smaller decoded part of the probed length marks a truncated source: decoders stop there without an error. */
const WHOLE = 0.95
/** Tolerance for very short clips, which lose a frame or two at their ends. */
const SLACK_SEC = 0.5

/** What the tasks of a plan yielded: frames of each chunk and seconds of each track of sound, in the plan's order. */
interface Yielded {
  frames: readonly number[]
  audioSec: readonly number[]
}

/** Throws SourceRejectedError when neither the chunks of a plan nor a track of sound add up to the source, or frames are missing inside. */
export function refuseIncomplete(plan: TranscodePlan, { frames, audioSec }: Yielded): void {
  const rate = parseRate(plan.facts.frameRate.text)
  const total = frames.reduce((sum, one) => sum + one, 0)
  if (total === 0)
    throw new SourceRejectedError('The video file contains no frames that can be decoded. Export it again and upload the new file.')
  for (const [at, { frames: planned, startFrame, expectedFrames }] of plan.chunks.entries()) {
    const hasLater = frames.slice(at + 1).some((one) => one > 0)
    if (planned === null || (frames[at] ?? 0) >= planned || !hasLater) continue
    const [from, to] = [frameTime(startFrame + (frames[at] ?? 0), rate), frameTime(startFrame + expectedFrames, rate)]
    throw new SourceRejectedError(
      `The video cannot be decoded between ${timecode(from)} and ${timecode(to)}. Export it again and upload the new file.`,
    )
  }
  // Sound that was extended by silence does not measure how much of the source was decodable.
  const heard = audioSec.filter((_, at) => plan.facts.audio[at]?.endsEarlySec === 0)
  const decodedSec = Math.max(frameTime(total, rate), ...heard)
  if (decodedSec < plan.facts.durationSec * WHOLE - SLACK_SEC)
    throw new SourceRejectedError(
      `The video file is incomplete: only ${clock(decodedSec)} of ${clock(plan.facts.durationSec)} could be read. Copy or export it again and upload the new file.`,
    )
}
