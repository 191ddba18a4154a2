import { mkdir, readFile } from 'node:fs/promises'
import { env } from '../../platform/config.ts'
import { ffmpeg, ProgramFailed } from '../../platform/ffmpeg.ts'
import { hasFilter } from '../../platform/ffmpeg-programs.ts'
import { MASTER, playlistOf, segmentFile, segmentFolder } from './arguments.ts'
import { chunkArguments } from './chunk-arguments.ts'
import type { EncodedChunk, EncodedRendition } from './encoded.ts'
import { readCodecs, readDurations } from './hls-output.ts'
import { outputFault } from './output-fault.ts'
import type { Chunk, TranscodePlan } from './plan.ts'
import { frameTime, parseRate } from './segment-grid.ts'
import { segmentWatch } from './segment-watch.ts'
import { clock, isSourceFault } from './source-fault.ts'
import { SourceRejectedError } from './source-rejected.ts'

interface Input {
  source: string
  /** An empty folder for the output: `<quality>/<media sequence number>.ts`. */
  folder: string
  plan: TranscodePlan
  chunk: Chunk
  signal: AbortSignal
  /** Called with the share that is encoded, 0 to 1. */
  onProgress: (share: number) => void
  /** Called for each segment when it is complete, in order within a rendition. */
  onSegment?: (quality: string, sequence: number, path: string) => void
  /** Time limit of encoding; by default it depends on the chunk's length. */
  patienceMs?: number
}

/**
 * Encodes every rendition of a chunk, picture only. A chunk behind the end of a truncated source has no frames and no segments
 * (`refuseIncomplete` decides). Throws SourceRejectedError when the source cannot be decoded there.
 */
export async function encodeChunk(input: Input): Promise<EncodedChunk> {
  const { source, folder, plan, chunk, signal } = input
  for (const { quality } of plan.renditions) await mkdir(segmentFolder(folder, quality), { recursive: true })
  const qualities = plan.renditions.map(({ quality }) => quality)
  const written = segmentWatch({ first: chunk.firstSegment, names: qualities, pathOf: (name, at) => segmentFile(folder, name, at) })
  const scan = () => written.scan((quality, sequence, path) => input.onSegment?.(quality, sequence, path))
  const tooLong = AbortSignal.timeout(input.patienceMs ?? patienceFor(plan, chunk))
  const onLine = (line: string) => {
    const [name, value] = line.split('=')
    if (name === 'frame') input.onProgress(Math.min(1, (Number(value) || 0) / Math.max(1, chunk.expectedFrames)))
    if (name === 'progress') scan()
  }
  try {
    const exactTones = hasFilter('zscale') && hasFilter('tonemap')
    const args = chunkArguments({ source, folder, plan, chunk, threads: env().TRANSCODE_THREADS, exactTones })
    await ffmpeg(args, { signal: AbortSignal.any([signal, tooLong]), onLine, only: { reads: [source], writes: [folder] } })
  } catch (error) {
    if (tooLong.aborted && !signal.aborted)
      throw new SourceRejectedError(
        'Transcoding this file takes longer than this service allows. Export it in a common format and upload it again.',
      )
    if (error instanceof ProgramFailed && !error.outOfMemory && isSourceFault(error.output))
      throw new SourceRejectedError(`${undecodable(plan, chunk)} Export it again and upload the new file.`)
    throw error
  }
  scan()
  if (qualities.every((quality) => written.count(quality) === 0)) return { frames: 0, renditions: [] }
  return readOutput(input, written.count).catch(async (error: Error) => Promise.reject(await outputFault(folder, error.message)))
}

function undecodable(plan: TranscodePlan, { startFrame, expectedFrames }: Chunk): string {
  if (plan.chunks.length === 1) return 'The video file is damaged and could not be decoded.'
  const rate = parseRate(plan.facts.frameRate.text)
  const [from, to] = [frameTime(startFrame, rate), frameTime(startFrame + expectedFrames, rate)]
  return `The video cannot be decoded between ${clock(from)} and ${clock(to)}.`
}

/** Returns the time limit of encoding; setTimeout accepts at most 24 days. */
function patienceFor({ facts }: TranscodePlan, { expectedFrames, startFrame, seek }: Chunk): number {
  const runUpSec = startFrame / facts.frameRate.value - (seek?.keyFrameSec ?? 0)
  const seconds = expectedFrames / facts.frameRate.value + runUpSec
  return Math.min(2 ** 31 - 1, Math.round(900_000 + seconds * env().TRANSCODE_PATIENCE * 1_000))
}

async function readOutput({ folder, plan, chunk }: Input, countOf: (quality: string) => number): Promise<EncodedChunk> {
  const codecs = readCodecs(await readFile(`${folder}/${MASTER}`, 'utf8'))
  const renditions = await Promise.all(
    plan.renditions.map(async (spec): Promise<EncodedRendition> => {
      const { quality } = spec
      const durations = readDurations(await readFile(playlistOf(folder, quality), 'utf8'))
      if (countOf(quality) !== durations.length)
        throw new Error(`ffmpeg listed ${durations.length} segments of ${quality} and wrote ${countOf(quality)}`)
      const stated = codecs.get(quality)
      if (!stated) throw new Error(`ffmpeg stated no codecs for ${quality}`)
      const segments = durations.map((durationSec, at) => ({ path: segmentFile(folder, quality, chunk.firstSegment + at), durationSec }))
      return { spec, codecs: stated, segments }
    }),
  )
  const counts = renditions.map(({ segments }) =>
    segments.reduce((sum, one) => sum + Math.round(one.durationSec * plan.facts.frameRate.value), 0),
  )
  const frames = counts[0] ?? 0
  checkSegments(renditions, chunk, frames)
  return { frames, renditions }
}

/** Throws when segments of a whole chunk are missing, or renditions differ: playlists count on the planned numbers. */
function checkSegments(renditions: readonly EncodedRendition[], chunk: Chunk, frames: number): void {
  const counts = new Set(renditions.map(({ segments }) => segments.length))
  if (counts.size > 1)
    throw new Error(`renditions of chunk ${chunk.position} have different numbers of segments: ${[...counts].join(', ')}`)
  if (chunk.frames !== null && frames > chunk.frames)
    throw new Error(`chunk ${chunk.position} has ${frames} frames instead of ${chunk.frames}`)
}
