import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { env } from '../../platform/config.ts'
import { ffmpeg, ProgramFailed } from '../../platform/ffmpeg.ts'
import { hasFilter } from '../../platform/ffmpeg-programs.ts'
import { encodeArguments, MASTER, playlistOf, segmentFile, segmentFolder } from './arguments.ts'
import type { EncodedRendition } from './encoded.ts'
import { readCodecs, readDurations } from './hls-output.ts'
import type { RenditionSpec } from './ladder.ts'
import { outputFault } from './output-fault.ts'
import type { SourceFacts } from './probe.ts'
import { clock, isSourceFault } from './source-fault.ts'
import { SourceRejectedError } from './source-rejected.ts'

export type { EncodedRendition } from './encoded.ts'

export interface Progress {
  /** 0 to 99; storing completes it. */
  percent: number
  etaSec: number | null
}

interface Input {
  source: string
  /** An empty folder for the output. */
  folder: string
  facts: SourceFacts
  renditions: readonly RenditionSpec[]
  signal: AbortSignal
  onProgress: (progress: Progress) => void
  /** Called for each segment when it is complete, in order within a rendition; the last ones may be omitted. */
  onSegment?: (quality: string, sequence: number, path: string) => void
  /** Time limit of encoding; by default it depends on the video's length. */
  patienceMs?: number
}

/** A smaller decoded part of the probed length marks a truncated source: decoders stop there without an error. */
const WHOLE = 0.95
/** Tolerance for very short clips, which lose a frame or two at their ends. */
const SLACK_SEC = 0.5

/** Encodes every rendition in one pass. Throws SourceRejectedError when the source turns out to be undecodable or truncated. */
export async function encode(input: Input): Promise<EncodedRendition[]> {
  const { source, folder, facts, renditions, signal } = input
  for (const { quality } of renditions) await mkdir(segmentFolder(folder, quality), { recursive: true })
  const watch = progressWatch(input)
  const written = segmentWatch(input)
  const tooLong = AbortSignal.timeout(input.patienceMs ?? patienceFor(facts))
  const onLine = (line: string) => {
    watch.onLine(line)
    if (line.startsWith('progress=')) written.scan()
  }
  try {
    const exactTones = hasFilter('zscale') && hasFilter('tonemap')
    const args = encodeArguments({ source, folder, facts, renditions, threads: env().TRANSCODE_THREADS, exactTones })
    await ffmpeg(args, { signal: AbortSignal.any([signal, tooLong]), onLine, only: { reads: [source], writes: [folder] } })
  } catch (error) {
    if (tooLong.aborted && !signal.aborted)
      throw new SourceRejectedError(
        'Transcoding this file takes longer than this service allows. Export it in a common format and upload it again.',
      )
    if (error instanceof ProgramFailed && !error.outOfMemory && isSourceFault(error.output)) {
      throw new SourceRejectedError('The video file is damaged and could not be decoded. Export it again and upload the new file.')
    }
    throw error
  }
  written.scan()
  const encoded = await readOutput(folder, renditions, written.found).catch(async (error: Error) =>
    Promise.reject(await outputFault(folder, error.message)),
  )
  const pictureSec = encoded[0]?.segments.reduce((sum, one) => sum + one.durationSec, 0) ?? 0
  // Padded sound does not measure how much of the source was decodable.
  const decodedSec = facts.soundEndsEarlySec > 0 ? watch.pictureSec() : Math.max(pictureSec, watch.outTimeSec())
  if (pictureSec === 0)
    throw new SourceRejectedError('The video file contains no frames that can be decoded. Export it again and upload the new file.')
  if (decodedSec < facts.durationSec * WHOLE - SLACK_SEC) {
    const words = `${clock(decodedSec)} of ${clock(facts.durationSec)}`
    throw new SourceRejectedError(
      `The video file is incomplete: only ${words} could be read. Copy or export it again and upload the new file.`,
    )
  }
  return encoded
}

/** Returns the time limit of encoding; setTimeout accepts at most 24 days. */
const patienceFor = ({ durationSec }: SourceFacts) =>
  Math.min(2 ** 31 - 1, Math.round(900_000 + durationSec * env().TRANSCODE_PATIENCE * 1_000))

function progressWatch({ facts, onProgress }: Input) {
  const frames = Math.max(1, facts.durationSec * facts.frameRate.value)
  const startedAt = performance.now()
  let outTimeSec = 0
  let encodedFrames = 0
  return {
    outTimeSec: () => outTimeSec,
    pictureSec: () => encodedFrames / facts.frameRate.value,
    onLine(line: string) {
      const [name, value] = line.split('=')
      if (name === 'out_time_us') outTimeSec = Math.max(outTimeSec, Number(value) / 1e6 || 0)
      // out_time is that of the furthest stream and runs ahead; the frame count measures completed work.
      if (name !== 'frame') return
      encodedFrames = Number(value) || 0
      const done = Math.min(1, encodedFrames / frames)
      const elapsed = (performance.now() - startedAt) / 1_000
      const etaSec = done > 0.01 && elapsed > 1 ? Math.ceil((elapsed * (1 - done)) / done) : null
      onProgress({ percent: Math.min(99, Math.floor(done * 100)), etaSec })
    },
  }
}

/** Finds completed segments: only those have their final names. `found` counts them, including those deleted since. */
function segmentWatch({ folder, renditions, onSegment }: Input) {
  const found = new Map(renditions.map(({ quality }) => [quality, 0]))
  return {
    found,
    scan() {
      for (const [quality, before] of found) {
        let sequence = before
        for (; existsSync(segmentFile(folder, quality, sequence)); sequence++)
          onSegment?.(quality, sequence, segmentFile(folder, quality, sequence))
        found.set(quality, sequence)
      }
    },
  }
}

async function readOutput(
  folder: string,
  renditions: readonly RenditionSpec[],
  written: ReadonlyMap<string, number>,
): Promise<EncodedRendition[]> {
  const codecs = readCodecs(await readFile(`${folder}/${MASTER}`, 'utf8'))
  return Promise.all(
    renditions.map(async (rendition) => {
      const durations = readDurations(await readFile(playlistOf(folder, rendition.quality), 'utf8'))
      const count = written.get(rendition.quality)
      if (count !== durations.length) throw new Error(`ffmpeg listed ${durations.length} segments and wrote ${count}`)
      const segments = durations.map((durationSec, at) => ({ path: segmentFile(folder, rendition.quality, at), durationSec }))
      const stated = codecs.get(rendition.quality)
      if (!stated) throw new Error(`ffmpeg stated no codecs for ${rendition.quality}`)
      return { spec: rendition, codecs: stated, segments }
    }),
  )
}
