import { ffmpeg, guardedInput, ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { sharedStart } from '../encode/chunk-arguments.ts'
import { clockOptions, pictureClock, soundClock } from '../encode/clock-filters.ts'
import type { AudioTrack } from '../plan/audio-tracks.ts'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import type { Span } from '../tasks/store.ts'
import { isSeekable } from './container.ts'
import { isLeftOut } from './list-packets.ts'

/**
 * ffmpeg option with which any share of undecodable packets is not an error. Otherwise, the limit differs between versions, and counts
 * packets after a chunk's end.
 */
export const TOLERANT = ['-max_error_rate', '1']

/** Returns whether ffmpeg's warnings report packets that it could not read or decode. */
export const reportsDamage = (warnings: string): boolean =>
  /Error while decoding stream|Decoding error: Invalid data|Error submitting (a )?packet to|corrupt decoded frame|concealing \d+ DC|error while decoding MB|invalid as first byte of an EBML|exceeds containing master element|Invalid length 0x/.test(
    warnings,
  )

interface Input {
  source: string
  plan: TranscodePlan
  signal: AbortSignal
}

/** Returns the options with which decoding starts where a chunk's does, with times that count from the source's start. */
const seekTo = ({ seek }: Pick<Chunk, 'seek'>): string[] => [
  ...['-copyts', '-start_at_zero', '-noaccurate_seek'],
  ...(seek ? ['-ss', seek.sec.toFixed(6)] : []),
]

/** Returns when each frame is shown that can be decoded from the start of a chunk's run-up to `untilSec`. None if the decoder fails. */
export async function decodedFrames({ source, plan, signal }: Input, chunk: Pick<Chunk, 'seek'>, untilSec: number): Promise<Span[]> {
  const { videoStream, frameRate } = plan.facts
  const frames: Span[] = []
  const clock = pictureClock(plan.facts).map((one) => `${one},`)
  const filter = `[0:${videoStream}]${clock.join('')}trim=end=${untilSec.toFixed(6)},scale=16:16:flags=neighbor,format=gray[v]`
  const onFrame = (sec: number) => void frames.push({ fromSec: sec, toSec: sec + 1 / frameRate.value })
  const args = [...TOLERANT, ...clockOf(plan, chunk), ...guardedInput(source), '-filter_complex', filter, '-map', '[v]']
  await listed(plan, [...args, '-fps_mode', 'passthrough', '-enc_time_base', '1/1000', '-c:v', 'rawvideo'], onFrame, { source, signal })
  return frames
}

/** Returns how many video packets belong to a span of the video, decodable or not, from a chunk's run-up on. */
export async function countPackets({ source, plan, signal }: Input, chunk: Pick<Chunk, 'seek'>, { fromSec, toSec }: Span): Promise<number> {
  let count = 0
  // Packets pass no filter, which would count their times from the video's start.
  const { originSec = 0 } = plan.facts
  const onFrame = (sec: number) => {
    if (sec - originSec >= fromSec && sec - originSec < toSec) count++
  }
  const args = [...clockOf(plan, chunk), ...guardedInput(source), '-map', `0:${plan.facts.videoStream}`, '-c', 'copy', '-copyinkf']
  await listed(plan, args, onFrame, { source, signal })
  return count
}

/** Returns a track's decodable spans. Empty if the decoder fails. */
export async function decodedSound({ source, plan, signal }: Input, track: AudioTrack): Promise<Span[]> {
  const spans: Span[] = []
  const onFrame = (sec: number, durationSec: number) => {
    const last = spans.at(-1)
    // Packet times are rounded.
    if (last && sec - last.toSec < 0.1) last.toSec = Math.max(last.toSec, sec + durationSec)
    else spans.push({ fromSec: sec, toSec: sec + durationSec })
  }
  const clock = soundClock(plan.facts, track)
  const filter = clock.length > 0 ? ['-af', clock.join(',')] : []
  const args = [
    ...TOLERANT,
    ...clockOf(plan, { seek: null }),
    ...guardedInput(source),
    '-map',
    `0:${track.stream}`,
    ...filter,
    '-c:a',
    'pcm_s16le',
  ]
  await listed(plan, args, onFrame, { source, signal })
  return spans
}

/** Returns the options that make times the same as in encoding. */
export const clockOf = ({ facts }: TranscodePlan, chunk: Pick<Chunk, 'seek'>): string[] =>
  isSeekable(facts) ? seekTo(chunk) : clockOptions(facts)

async function listed(
  { facts }: TranscodePlan,
  args: string[],
  onFrame: (sec: number, durationSec: number) => void,
  { source, signal }: Omit<Input, 'plan'>,
): Promise<void> {
  let tick = 0
  const onLine = (line: string) => {
    const [, above, below] = /^#tb \d+: (\d+)\/(\d+)/.exec(line) ?? []
    if (above) tick = Number(above) / Number(below)
    const [, , pts, duration] = line.split(',').map(Number)
    if (!line.startsWith('#') && pts !== undefined && !isLeftOut(line)) onFrame(pts * tick, (duration ?? 0) * tick)
  }
  try {
    const streams = [facts.videoStream, ...facts.audio.map(({ stream }) => stream)]
    await ffmpeg([...args, '-f', 'framecrc', '-', ...sharedStart(facts, streams)], {
      signal,
      onLine,
      only: { reads: [source], writes: [] },
    })
  } catch (error) {
    // A decoder that crashes or rejects its stream has decoded what it listed.
    if (!(error instanceof ProgramFailed) || error.outOfMemory) throw error
  }
}
