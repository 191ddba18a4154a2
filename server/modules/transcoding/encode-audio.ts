import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../../platform/config.ts'
import { ffmpeg, guardedInput, ProgramFailed } from '../../platform/ffmpeg.ts'
import type { AudioTrack } from './audio-tracks.ts'
import { segmentArguments } from './chunk-arguments.ts'
import type { EncodedAudio, EncodedSegment } from './encoded.ts'
import { readDurations } from './hls-output.ts'
import { outputFault } from './output-fault.ts'
import type { TranscodePlan } from './plan.ts'
import { SEGMENT_SEC } from './segment-files.ts'
import { isSourceFault } from './source-fault.ts'
import { SourceRejectedError } from './source-rejected.ts'

interface Input {
  source: string
  /** An empty folder for the output: `audio/<media sequence number>.ts`. */
  folder: string
  plan: TranscodePlan
  track: AudioTrack
  signal: AbortSignal
  /** Called with the share that is encoded, 0 to 1. */
  onProgress: (share: number) => void
  /** Called for each segment when it is complete and its duration is known, in order. */
  onSegment?: (sequence: number, segment: EncodedSegment) => void
  patienceMs?: number
}

/** AAC-LC (RFC 6381), the profile that `audioArguments` demands. */
const CODECS = 'mp4a.40.2'
export const AUDIO_RATE = 128_000
/** Listed segments may be shorter than the encoded sound by less than this: by the priming of the encoder. */
const TOLERANCE_SEC = 0.5

/** Encodes a whole track of sound as stereo. Throws SourceRejectedError when it cannot be decoded. */
export async function encodeAudio(input: Input): Promise<EncodedAudio> {
  const { source, folder, plan, track, signal } = input
  await mkdir(join(folder, 'audio'), { recursive: true })
  const list = join(folder, 'audio.m3u8')
  const segments: EncodedSegment[] = []
  let encodedSec = 0
  /** Reports segments that the playlist lists, which it does once they are complete. */
  const scan = () => {
    const durations = existsSync(list) ? readDurations(readFileSync(list, 'utf8')) : []
    for (const durationSec of durations.slice(segments.length)) {
      const segment = { path: join(folder, 'audio', `${String(segments.length).padStart(5, '0')}.ts`), durationSec }
      segments.push(segment)
      input.onSegment?.(segments.length - 1, segment)
    }
  }
  const tooLong = AbortSignal.timeout(
    input.patienceMs ?? Math.min(2 ** 31 - 1, Math.round(900_000 + plan.facts.durationSec * env().TRANSCODE_PATIENCE * 1_000)),
  )
  const onLine = (line: string) => {
    const [name, value] = line.split('=')
    if (name === 'out_time_us') {
      encodedSec = Math.max(encodedSec, Number(value) / 1e6 || 0)
      input.onProgress(Math.min(1, encodedSec / plan.facts.durationSec))
    }
    if (name === 'progress') scan()
  }
  try {
    await ffmpeg(audioArguments(input), { signal: AbortSignal.any([signal, tooLong]), onLine, only: { reads: [source], writes: [folder] } })
  } catch (error) {
    if (tooLong.aborted && !signal.aborted)
      throw new SourceRejectedError(
        'Transcoding this file takes longer than this service allows. Export it in a common format and upload it again.',
      )
    if (error instanceof ProgramFailed && !error.outOfMemory && isSourceFault(error.output))
      throw new SourceRejectedError(
        `The sound (${track.name}) is damaged and could not be decoded. Export it again and upload the new file.`,
      )
    throw error
  }
  scan()
  const listedSec = segments.reduce((sum, one) => sum + one.durationSec, 0)
  if (listedSec < encodedSec - TOLERANCE_SEC)
    throw await outputFault(folder, `ffmpeg listed ${listedSec.toFixed(1)} s of ${encodedSec.toFixed(1)} s of sound`)
  return { codecs: CODECS, segments }
}

/** Returns the arguments of one ffmpeg pass over a track. */
export function audioArguments({ source, folder, track }: Pick<Input, 'source' | 'folder' | 'track'>): string[] {
  // Gaps, including one before the first sample, become silence, which keeps sound in sync with the picture.
  // Mono copied to both channels keeps its loudness; the default conversion lowers it by 3 dB.
  const stereo = track.mono ? 'pan=stereo|c0=c0|c1=c0' : 'aformat=channel_layouts=stereo'
  const silence = track.endsEarlySec > 0 ? `,apad=pad_dur=${track.endsEarlySec.toFixed(3)}` : ''
  return [
    ...guardedInput(source),
    ...['-filter_complex', `[0:${track.stream}]aresample=48000:async=1:first_pts=0,${stereo}${silence}[a]`, '-map', '[a]'],
    ...['-c:a', 'aac', '-profile:a', 'aac_low', '-b:a', String(AUDIO_RATE)],
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-progress', 'pipe:1', '-stats_period', '0.5'],
    ...segmentArguments({ cutSec: SEGMENT_SEC, first: 0 }),
    // An event's playlist is written after each segment.
    ...['-hls_playlist_type', 'event', '-hls_segment_filename', join(folder, 'audio', '%05d.ts')],
    join(folder, 'audio.m3u8'),
  ]
}
