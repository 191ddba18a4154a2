import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg, guardedInput, ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import type { AudioTrack } from '../plan/audio-tracks.ts'
import { PATIENCE } from '../plan/limits.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import { reportsDamage, TOLERANT } from '../probe/decoded-spans.ts'
import { isSourceFault, SourceRejectedError, SourceUndecodableError } from '../probe/source-fault.ts'
import { segmentArguments, sharedStart } from './chunk-arguments.ts'
import { clockOptions, soundClock } from './clock-filters.ts'
import type { EncodedAudio, EncodedSegment } from './encoded.ts'
import { readDurations } from './hls-output.ts'
import { TAKES_TOO_LONG } from './in-time.ts'
import { hasFullDisk, outputFault } from './output-fault.ts'
import { SEGMENT_SEC, segmentFile } from './segment-files.ts'

interface Input {
  source: string
  /** An empty folder for the output: `audio/<media sequence number>.ts`. */
  folder: string
  plan: TranscodePlan
  track: AudioTrack
  signal: AbortSignal
  /** Called with the encoded share, 0 to 1. */
  onProgress: (share: number) => void
  /** Called for each segment once it is complete and its duration is known, in order. */
  onSegment?: (sequence: number, segment: EncodedSegment) => void
  /** Time limit of encoding. By default, it depends on the video's length. */
  patienceMs?: number
  /** Whether to encode silence instead of the track. */
  silent?: boolean
  /** The track with one layout and rate throughout (`evenSound`), to encode in place of the source's. */
  even?: EvenSound | undefined
}

/** AAC-LC (RFC 6381), the profile that `outputArguments` requires. */
export const AUDIO_CODECS = 'mp4a.40.2'
export const AUDIO_RATE = 128_000
/** Listed segments can be shorter than the encoded audio by less than this, the encoder's priming. */
const TOLERANCE_SEC = 0.5

/**
 * Encodes a whole audio track as stereo. A track without a single sample becomes silence. Throws SourceRejectedError if it cannot be
 * decoded.
 */
export async function encodeAudio(input: Input): Promise<EncodedAudio> {
  await mkdir(join(input.folder, 'audio'), { recursive: true })
  const tooLong = AbortSignal.timeout(input.patienceMs ?? trackPatience(input.plan))
  try {
    const args = [...TOLERANT, ...trackArguments(input)]
    const { segments: found, damaged: isDamaged } = input.silent ? NOTHING : await runPass(input, args, tooLong)
    const damaged = isDamaged || input.even?.damaged
    const { segments } = found.length > 0 ? { segments: found } : await runPass(input, silenceArguments(input), tooLong)
    if (segments.length === 0) throw await outputFault(input.folder, 'ffmpeg listed no audio segments')
    return { codecs: AUDIO_CODECS, segments, ...(damaged && { damaged }) }
  } catch (error) {
    if (tooLong.aborted && !input.signal.aborted) throw new SourceRejectedError(TAKES_TOO_LONG)
    if (error instanceof ProgramFailed && LAYOUT_CHANGES.test(error.output)) throw new LayoutChanges()
    if (error instanceof ProgramFailed && !error.outOfMemory && isSourceFault(error.output))
      throw new SourceUndecodableError(undecodableSound(input.track))
    throw error
  }
}

const LAYOUT_CHANGES = /Changing audio frame properties on the fly/

/** The channel layout or sample rate changes within a track, which one filter graph cannot handle. */
export class LayoutChanges extends Error {}

/** Returns the failure reason for a video with an audio track that cannot be decoded. */
export const undecodableSound = ({ name }: AudioTrack): string =>
  `The audio (${name}) is damaged and could not be decoded. Export it again and upload the new file.`

/** Returns a track's time limit in milliseconds. setTimeout accepts at most 24 days. */
export const trackPatience = ({ facts }: TranscodePlan) => Math.min(2 ** 31 - 1, Math.round(900_000 + facts.durationSec * PATIENCE * 1_000))

interface Pass {
  segments: EncodedSegment[]
  /** Whether ffmpeg reported packets that it could not read or decode. */
  damaged: boolean
}
const NOTHING: Pass = { segments: [], damaged: false }

async function runPass(input: Input, args: string[], tooLong: AbortSignal): Promise<Pass> {
  const { folder, plan, signal } = input
  const source = input.even?.path ?? input.source
  const segments: EncodedSegment[] = []
  let encodedSec = 0
  /** Reports the segments that the playlist lists, which are complete. A track without samples has an empty one. */
  const scan = () => {
    const listed = existsSync(playlistPath(folder)) ? readDurations(readFileSync(playlistPath(folder), 'utf8')) : []
    for (const durationSec of listed.slice(segments.length).filter((seconds) => seconds > 0)) {
      const sequence = segments.length
      const segment = { path: segmentFile(folder, 'audio', sequence), durationSec }
      segments.push(segment)
      input.onSegment?.(sequence, segment)
    }
  }
  const onLine = (line: string) => {
    const [name, value] = line.split('=')
    if (name === 'out_time_us') {
      // Before the first packet of an input with its own times (`copyts`), the number overflows.
      const sec = Number(value) / 1e6
      if (sec < 1e9) encodedSec = Math.max(encodedSec, sec)
      input.onProgress(Math.min(1, encodedSec / plan.facts.durationSec))
    }
    if (name === 'progress') scan()
  }
  const limit = AbortSignal.any([signal, tooLong])
  const warnings = await ffmpeg(args, { signal: limit, onLine, background: true, only: { reads: [source], writes: [folder] } })
  scan()
  const listedSec = segments.reduce((sum, one) => sum + one.durationSec, 0)
  // ffmpeg exits without an error when the disk is full.
  const damaged = reportsDamage(warnings)
  if (listedSec < encodedSec - TOLERANCE_SEC) {
    if (damaged && !(await hasFullDisk(folder))) throw new SourceUndecodableError(undecodableSound(input.track))
    throw await outputFault(folder, `ffmpeg listed ${listedSec.toFixed(1)} s of ${encodedSec.toFixed(1)} s of sound`)
  }
  return { segments, damaged }
}

const playlistPath = (folder: string) => join(folder, 'audio.m3u8')

/** Returns the arguments of one ffmpeg pass over a track. */
export function trackArguments({
  source,
  folder,
  plan,
  track,
  even,
}: Pick<Input, 'source' | 'folder' | 'plan' | 'track' | 'even'>): string[] {
  // Gaps, including one before the first sample, become silence, which keeps audio in sync with video.
  const stereo = even ? EVEN_LAYOUT : stereoOf(track)
  const silence = track.endsEarlySec > 0 ? `,apad=pad_dur=${track.endsEarlySec.toFixed(3)}` : ''
  const steady = `aresample=48000:async=1:first_pts=0,${stereo}${silence}`
  const input = even
    ? // Its times count from the video's start.
      ['-copyts', '-i', even.path, '-filter_complex', `[0:0]${steady}[a]`]
    : // A change within the track would start a new graph, which fills the time before it with silence again.
      [
        ...clockOptions(plan.facts),
        '-reinit_filter',
        '0',
        ...guardedInput(source),
        '-filter_complex',
        `${fromTrack(plan, track)}${steady}[a]`,
      ]
  return [...input, '-map', '[a]', ...outputArguments(folder), ...(even ? [] : othersStart(plan, track))]
}

/** No other filter accepts ambisonics. The first channel is heard everywhere, the second one on the left and inverted on the right. */
const FROM_AMBISONIC = 'pan=stereo|c0<c0+c1|c1<c0-c1'

const fromTrack = ({ facts }: TranscodePlan, track: AudioTrack) =>
  `[0:${track.stream}]${[...soundClock(facts, track), ...(track.ambisonic ? [FROM_AMBISONIC] : [])].map((one) => `${one},`).join('')}`

const othersStart = ({ facts }: TranscodePlan, track: AudioTrack) =>
  sharedStart(facts, [facts.videoStream, ...facts.audio.map(({ stream }) => stream).filter((stream) => stream !== track.stream)])

/** A decoded track whose times count from the video's start. */
export interface EvenSound {
  path: string
  /** Whether ffmpeg reported packets that it could not read or decode. */
  damaged: boolean
}

/** Decodes a track whose layout or rate changes to stereo at one rate, in an existing folder. Throws as `encodeAudio` does. */
export async function evenSound({ source, folder, plan, track, signal }: Omit<Input, 'onProgress' | 'onSegment'>): Promise<EvenSound> {
  const path = join(folder, 'even.mka')
  // Each graph converts what it gets. Mono keeps its loudness on both channels. A block encoder would lose what is left at a change.
  const even = 'aresample=48000,aformat=channel_layouts=mono|stereo,pan=stereo|FL=FL+FC|FR=FR+FC'
  const args = [
    ...TOLERANT,
    ...clockOptions(plan.facts),
    ...guardedInput(source),
    ...['-filter_complex', `${fromTrack(plan, track)}${even}[a]`, '-map', '[a]', '-c:a', 'pcm_s16le', '-f', 'matroska', path],
    ...othersStart(plan, track),
  ]
  const limit = AbortSignal.any([signal, AbortSignal.timeout(trackPatience(plan))])
  try {
    const warnings = await ffmpeg(args, { signal: limit, background: true, only: { reads: [source], writes: [folder] } })
    return { path, damaged: reportsDamage(warnings) }
  } catch (error) {
    if (error instanceof ProgramFailed && !error.outOfMemory && isSourceFault(error.output))
      throw new SourceUndecodableError(undecodableSound(track))
    throw error
  }
}

const EVEN_LAYOUT = 'aformat=channel_layouts=stereo'

/** Returns the filter that makes a track stereo. */
function stereoOf({ mono, channels }: AudioTrack): string {
  // Mono copied to both channels keeps its loudness; the default conversion lowers it by 3 dB.
  if (mono) return 'pan=stereo|c0=c0|c1=c0'
  if (!channels) return EVEN_LAYOUT
  // Files rarely state what each of this many channels is for, so all are heard on both sides.
  const all = Array.from({ length: channels }, (_, at) => `c${at}`).join('+')
  return `pan=stereo|c0<${all}|c1<${all}`
}

const silenceArguments = ({ folder, plan }: Input): string[] => [
  ...['-f', 'lavfi', '-i', `anullsrc=sample_rate=48000:channel_layout=stereo:duration=${plan.facts.durationSec}`],
  ...outputArguments(folder),
]

const outputArguments = (folder: string): string[] => [
  ...['-c:a', 'aac', '-profile:a', 'aac_low', '-b:a', String(AUDIO_RATE)],
  ...['-map_metadata', '-1', '-map_chapters', '-1', '-progress', 'pipe:1', '-stats_period', '0.1'],
  ...segmentArguments({ cutSec: SEGMENT_SEC, first: 0 }),
  // The playlist of an event is written after each segment.
  ...['-hls_playlist_type', 'event', '-hls_segment_filename', join(folder, 'audio', '%05d.ts')],
  playlistPath(folder),
]
