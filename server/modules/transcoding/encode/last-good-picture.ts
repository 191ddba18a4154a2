import { join } from 'node:path'
import { ffmpeg, guardedInput } from '../../../platform/ffmpeg/ffmpeg.ts'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import { clockOf, decodedFrames, TOLERANT } from '../probe/decoded-spans.ts'
import { sharedStart } from './chunk-arguments.ts'
import { pictureClock } from './clock-filters.ts'
import { spanOf } from './damage.ts'

interface Input {
  source: string
  /** An existing folder that receives the picture. */
  folder: string
  plan: TranscodePlan
  chunk: Chunk
  signal: AbortSignal
}

/**
 * Decodes the last frame before a chunk, otherwise the first one after it. Returns the path of a video with this single frame, in the
 * source's size and pixel format. Undefined if nothing else in the source can be decoded.
 */
export async function lastGoodPicture(input: Input): Promise<string | undefined> {
  const { plan, chunk } = input
  const { fromSec } = spanOf(plan, chunk)
  // First its own run-up, then the chunks before it, nearest first.
  for (const one of plan.chunks.slice(0, chunk.position + 1).toReversed()) {
    const before = (await decodedFrames(input, one, fromSec)).filter((frame) => frame.fromSec < fromSec)
    const last = before.at(-1)
    if (last) return extract(input, one, last.fromSec)
  }
  for (const one of plan.chunks.slice(chunk.position + 1)) {
    const [first] = await framesOf(input, one)
    if (first) return extract(input, one, first.fromSec)
  }
  return undefined
}

/** Returns whether the source has a frame after a chunk. If not, it ends there, like an upload that was cut off. */
export async function hasPictureAfter(input: Omit<Input, 'folder'>): Promise<boolean> {
  for (const one of input.plan.chunks.slice(input.chunk.position + 1)) if ((await framesOf(input, one)).length > 0) return true
  return false
}

/** Returns the chunk's frames that can be decoded. */
async function framesOf(input: Omit<Input, 'folder'>, chunk: Chunk) {
  const { fromSec, toSec } = spanOf(input.plan, chunk)
  return (await decodedFrames(input, chunk, toSec)).filter((frame) => frame.fromSec >= fromSec && frame.fromSec < toSec)
}

/** Seconds around a frame's time, which is rounded to milliseconds. */
const TOLERANCE_SEC = 0.002

async function extract({ source, folder, plan, signal }: Input, chunk: Chunk, sec: number): Promise<string> {
  const path = join(folder, 'still.mkv')
  const { videoStream, interlaced, audio } = plan.facts
  const whole = interlaced ? ',bwdif=mode=send_frame:deint=interlaced' : ''
  const clock = pictureClock(plan.facts).map((one) => `${one},`)
  const filter = `[0:${videoStream}]${clock.join('')}trim=start=${Math.max(0, sec - TOLERANCE_SEC).toFixed(6)},setpts=PTS-STARTPTS${whole}[v]`
  const args = [...TOLERANT, ...clockOf(plan, chunk), ...guardedInput(source), '-filter_complex', filter, '-map', '[v]']
  // With the rate, the frame has a duration, without which ffmpeg 7.0 drops a single one.
  const one = ['-frames:v', '1', '-r', plan.facts.frameRate.text, '-c:v', 'ffv1']
  const others = sharedStart(
    plan.facts,
    audio.map(({ stream }) => stream),
  )
  await ffmpeg([...args, ...one, path, ...others], { signal, only: { reads: [source], writes: [folder] } })
  return path
}
