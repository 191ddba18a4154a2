import { statSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { env } from '../../../platform/config/config.ts'
import { ffmpeg, ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { av1Program, ffmpegProgram, hasFilter } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { FRAGMENT } from '../../videos/media-keys.ts'
import { chosenEncoder, devicesOf } from '../plan/encoder-choice.ts'
import { PATIENCE } from '../plan/limits.ts'
import { type Chunk, encodedRenditions, segmentStart, type TranscodePlan } from '../plan/plan.ts'
import { frameTime, parseRate } from '../plan/segment-grid.ts'
import { reportsDamage, TOLERANT } from '../probe/decoded-spans.ts'
import { isSteady } from '../probe/picture-shape.ts'
import { isSourceFault, SourceRejectedError, SourceUndecodableError, undecodableBetween } from '../probe/source-fault.ts'
import { chunkArguments } from './chunk-arguments.ts'
import { spanOf } from './damage.ts'
import type { EncodedChunk, EncodedRendition } from './encoded.ts'
import { readTrack } from './fragmented-mp4.ts'
import { readCodecs, readDurations } from './hls-output.ts'
import { TAKES_TOO_LONG } from './in-time.ts'
import { hasFullDisk, outputFault } from './output-fault.ts'
import { MASTER, playlistOf, segmentFile, segmentFolder } from './segment-files.ts'

interface Input {
  source: string
  /** An empty folder for the output: `<quality>/<media sequence number>.ts`. */
  folder: string
  plan: TranscodePlan
  chunk: Chunk
  signal: AbortSignal
  /** Called with the encoded share, 0 to 1. */
  onProgress: (share: number) => void
  /** Called for each segment once it is complete, in order within a rendition. */
  onSegment?: (quality: string, sequence: number, path: string) => void
  /** Time limit of encoding. By default, it depends on the chunk's length. */
  patienceMs?: number
}

/**
 * Encodes every rendition of a chunk, without audio. A chunk beyond the end of a truncated source has no frames and no segments
 * (`refuseIncomplete` decides). Throws SourceRejectedError if the source cannot be decoded there.
 */
export async function encodeChunk(input: Input): Promise<EncodedChunk> {
  const { source, folder, plan, chunk, signal } = input
  const qualities = encodedRenditions(plan).map(({ quality }) => quality)
  for (const quality of qualities) await mkdir(segmentFolder(folder, quality), { recursive: true })
  const written = segmentWatch({
    first: chunk.firstSegment,
    names: qualities,
    pathOf: (name, at) => segmentFile(folder, name, at, endingOf(plan)),
  })
  const scan = () => written.scan((quality, sequence, path) => input.onSegment?.(quality, sequence, path))
  const tooLong = AbortSignal.timeout(input.patienceMs ?? chunkPatience(plan, chunk))
  const onLine = (line: string) => {
    const [name, value] = line.split('=')
    if (name === 'frame') input.onProgress(Math.min(1, (Number(value) || 0) / Math.max(1, chunk.expectedFrames)))
    if (name === 'progress') scan()
  }
  let damaged = false
  let encoder: string
  try {
    const exactTones = hasFilter('zscale') && hasFilter('tonemap')
    const h264Encoder = await chosenEncoder()
    // The filter came with the version in which filters share captions among the frames they create.
    const repeatsCaptions = !hasFilter('ccrepack')
    const args = chunkArguments({
      source,
      folder,
      plan,
      chunk,
      threads: env().TRANSCODE_THREADS,
      encoder: h264Encoder,
      exactTones,
      repeatsCaptions,
    })
    encoder = plan.codec ? 'svt-av1' : h264Encoder
    const warnings = await ffmpeg([...TOLERANT, ...args], {
      program: programOf(plan),
      signal: AbortSignal.any([signal, tooLong]),
      onLine,
      background: true,
      megabytes: plan.codec && env().AV1_MEMORY_MB,
      only: { reads: [source], writes: [folder], devices: plan.codec ? [] : devicesOf(h264Encoder) },
    })
    damaged = reportsDamage(warnings)
    // The filters started over, and the video with them.
    if (!isSteady(plan.facts) && /Non-monoton/.test(warnings)) throw new SourceRejectedError(SIZE_CHANGES)
  } catch (error) {
    if (tooLong.aborted && !signal.aborted) throw new SourceRejectedError(TAKES_TOO_LONG)
    if (error instanceof ProgramFailed && !error.outOfMemory && isSourceFault(error.output))
      throw new SourceUndecodableError(undecodable(plan, chunk))
    throw error
  }
  scan()
  const encoded = await readOutput(input, written.count).catch(async (error: Error) =>
    Promise.reject(await outputFault(folder, error.message)),
  )
  return { ...encoded, encoder, ...(damaged && { damaged }) }
}

const SIZE_CHANGES =
  'The frame size of this video changes, and it is stored rotated or mirrored. Export it again with one size and upload the new file.'

/** Returns the failure reason for a video with a chunk that cannot be decoded. */
export function undecodable(plan: TranscodePlan, chunk: Chunk): string {
  if (plan.chunks.length === 1) return 'The video file is damaged and could not be decoded. Export it again and upload the new file.'
  const { fromSec, toSec } = spanOf(plan, chunk)
  return undecodableBetween(fromSec, toSec)
}

/** Returns a chunk's time limit in milliseconds. setTimeout accepts at most 24 days. */
export function chunkPatience({ facts }: TranscodePlan, { expectedFrames, startFrame, seek }: Chunk): number {
  const runUpSec = startFrame / facts.frameRate.value - (seek?.keyFrameSec ?? 0)
  const seconds = expectedFrames / facts.frameRate.value + runUpSec
  return Math.min(2 ** 31 - 1, Math.round(900_000 + seconds * PATIENCE * 1_000))
}

async function readOutput({ folder, plan, chunk }: Input, countOf: (quality: string) => number): Promise<EncodedChunk> {
  const specs = encodedRenditions(plan)
  const lists = await Promise.all(specs.map(({ quality }) => readFile(playlistOf(folder, quality), 'utf8')))
  if (lists.flatMap(readDurations).every((seconds) => seconds === 0)) {
    if (await hasFullDisk(folder)) throw new Error('ffmpeg wrote no frame')
    return { frames: 0, renditions: [] }
  }
  const trackOf = plan.codec
    ? (quality: string) => readTrack(folder, quality)
    : describedBy(readCodecs(await readFile(`${folder}/${MASTER}`, 'utf8')))
  const counts: number[][] = []
  const renditions = await Promise.all(
    specs.map(async (spec, at): Promise<EncodedRendition> => {
      const { quality } = spec
      const listed = readDurations(lists[at] ?? '')
      if (countOf(quality) !== listed.length)
        throw new Error(`ffmpeg listed ${listed.length} segments of ${quality} and wrote ${countOf(quality)}`)
      const { codecs, init } = await trackOf(quality)
      const { frames, rate } = countFrames(listed, plan, chunk)
      counts[at] = frames
      const segments = frames.map((count, sequence) => ({
        path: segmentFile(folder, quality, chunk.firstSegment + sequence, endingOf(plan)),
        durationSec: frameTime(count, rate),
      }))
      return { spec, codecs, segments, ...(init && { init }) }
    }),
  )
  return { frames: sameTotal(counts, chunk), renditions }
}

const endingOf = ({ codec }: TranscodePlan) => (codec ? FRAGMENT : '.ts')

/** Returns the ffmpeg that encodes a plan. Throws if none has the encoder. */
function programOf({ codec }: TranscodePlan): string {
  const program = codec ? av1Program() : ffmpegProgram()
  if (!program) throw new Error('No ffmpeg with SVT-AV1 was found.')
  return program
}

const describedBy = (codecs: ReadonlyMap<string, string>) => async (quality: string) => {
  const stated = codecs.get(quality)
  if (!stated) throw new Error(`ffmpeg stated no codecs for ${quality}`)
  return { codecs: stated, init: undefined }
}

/**
 * Returns the frames of each listed segment. Listed durations are sums of rounded ones, off by milliseconds. Throws if ffmpeg cut a segment
 * elsewhere than planned, because other chunks and renditions depend on its place.
 */
function countFrames(listed: readonly number[], plan: TranscodePlan, { firstSegment, startFrame, frames: planned }: Chunk) {
  const rate = parseRate(plan.facts.frameRate.text)
  const end = planned === null ? Number.POSITIVE_INFINITY : startFrame + planned
  const frames = listed.map((seconds, at) => {
    const count = Math.round((seconds * rate.frames) / rate.seconds)
    const segment = firstSegment + at
    const whole = Math.min(end, segmentStart(plan, segment + 1)) - segmentStart(plan, segment)
    // The source may end early, in the last segment.
    if (count !== whole && !(at === listed.length - 1 && count < whole))
      throw new Error(`segment ${segment} has ${count} frames instead of ${whole}`)
    return count
  })
  return { frames, rate }
}

/** Returns the total of frames that all renditions share. */
function sameTotal(counts: readonly number[][], { position }: Chunk): number {
  const totals = new Set(counts.map((frames) => frames.reduce((sum, one) => sum + one, 0)))
  const [total, other] = totals
  if (total === undefined || other !== undefined)
    throw new Error(`renditions of chunk ${position} have different numbers of frames: ${[...totals].join(', ')}`)
  return total
}

/** Finds completed segments: only those have their final names. An empty one marks a video without frames. */
interface SegmentWatch {
  /** Calls back for each segment completed since the last scan, in order within a name. */
  scan(onSegment: (name: string, sequence: number, path: string) => void): void
  /** Segments found, including those deleted since. */
  count: (name: string) => number
}

/** Watches segments numbered from `first` in each of several series. */
function segmentWatch(input: {
  first: number
  names: readonly string[]
  pathOf: (name: string, sequence: number) => string
}): SegmentWatch {
  const found = new Map(input.names.map((name) => [name, 0]))
  return {
    scan(onSegment) {
      for (const [name, before] of found) {
        let count = before
        for (; sizeOf(input.pathOf(name, input.first + count)) > 0; count++)
          onSegment(name, input.first + count, input.pathOf(name, input.first + count))
        found.set(name, count)
      }
    },
    count: (name) => found.get(name) ?? 0,
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
