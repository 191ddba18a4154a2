import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../../platform/crypto.ts'
import { guardedInput, ProgramFailed } from '../../platform/ffmpeg.ts'
import { scorerProgram } from '../../platform/ffmpeg-programs.ts'
import { log } from '../../platform/log.ts'
import { decodePictures, type Pictures, scorePictures } from '../../platform/score-pictures.ts'
import { displayOf, pairStarts, picturesIn, sampleFilters } from '../quality/sample.ts'
import { qualityOf, scoresOf, versionOf } from '../quality/vmaf.ts'
import { clockOptions } from '../transcoding/clock-filters.ts'
import { seekTo } from '../transcoding/decoded-spans.ts'
import { decryptSegment } from '../transcoding/encrypt.ts'
import { isDiskFault } from '../transcoding/faults.ts'
import type { BasisChunk, QualityBasis } from '../transcoding/quality-basis.ts'
import { FRAGMENTED_FORMAT, OWN_FORMAT } from '../transcoding/segment-files.ts'
import { readStoredSegment } from '../transcoding/stored-segments.ts'
import { refuseDamaged } from '../videos/media-faults.ts'
import { FRAGMENT, segmentKey } from '../videos/media-keys.ts'
import { type MeasuredChunk, type MeasuredRendition, NOT_MEASURED, type NotMeasured } from './measured.ts'
import { x264Settings } from './x264-settings.ts'

/** A rendition of the video, with its list of segments. */
export interface ListedRendition {
  quality: string
  width: number
  height: number
  /** The initialization section of fragmented MP4, in base64; null: its segments are MPEG-TS. */
  init: string | null
  segments: readonly [name: string, durationSec: number][]
}

interface Input {
  mediaId: string
  contentKey: Uint8Array | undefined
  basis: QualityBasis
  position: number
  /** Highest first. */
  renditions: readonly ListedRendition[]
  source: string
  /** An empty folder. */
  folder: string
  signal: AbortSignal
}

/** Below it a video is a single segment of a few pictures. */
const LEAST_SEC = 4

/**
 * Hashes the segments of a chunk in every rendition and compares a sample of its pictures with those of the source. Throws for a segment that
 * is damaged, whose repair it requests.
 */
export async function measureChunk(input: Input): Promise<MeasuredChunk> {
  const { basis, position, renditions, folder, signal } = input
  const chunk = basis.chunks[position]
  const [top] = renditions
  if (!chunk || !top) throw new Error(`there is no chunk ${position}`)
  const pairs = pairStarts(chunk.frames)
  const filters = sampleFilters(pairs, { frames: chunk.frames, display: displayOf(top) })
  const result: MeasuredChunk = { renditions: {}, libvmaf: null }
  const original = join(folder, 'original.y4m')
  const threads = 1
  let obstacle = obstacleOf(basis, chunk)
  if (!obstacle) {
    const decoded = decodePictures(sourcePictures(input.source, basis, chunk, filters), original, { threads, signal })
    if (
      !(await unlessRefused(
        decoded.then(() => true),
        signal,
      ))
    )
      obstacle = NOT_MEASURED.failed
  }
  for (const { quality, init, segments } of renditions) {
    signal.throwIfAborted()
    const path = join(folder, `${quality}${init === null ? '.ts' : '.mp4'}`)
    if (init !== null) await writeFile(path, init, 'base64')
    const stored = await writePlain({
      ...input,
      segments: segments.slice(chunk.firstSegment, basis.chunks[position + 1]?.firstSegment),
      first: chunk.firstSegment,
      path,
    })
    const encoded = {
      args: [
        ...(init === null ? OWN_FORMAT : FRAGMENTED_FORMAT),
        ...guardedInput(path),
        '-map',
        '0:v:0',
        '-vf',
        filters.join(','),
        '-fps_mode',
        'passthrough',
      ],
      reads: [path],
    }
    const scored = obstacle ? undefined : await score({ original, encoded, threads, signal })
    const isWhole = scored?.scores.length === picturesIn(pairs, chunk.frames)
    if (scored && isWhole) result.libvmaf = scored.libvmaf
    result.renditions[quality] = {
      ...stored,
      quality: scored && isWhole ? qualityOf(scored.scores) : null,
      scores: scored && isWhole ? scored.scores.map((one) => Math.round(one * 1_000) / 1_000) : [],
      notMeasured: obstacle ?? (isWhole ? null : NOT_MEASURED.failed),
    }
  }
  return result
}

/** Returns why the pictures of a chunk are not compared; undefined when they are. */
function obstacleOf({ source, chunks }: QualityBasis, { damaged }: BasisChunk): NotMeasured | undefined {
  const [frames, seconds = 1] = source.frameRate.split('/').map(Number)
  const total = chunks.reduce((sum, chunk) => sum + chunk.frames, 0)
  if (source.interlaced) return NOT_MEASURED.interlaced
  if (source.hdr) return NOT_MEASURED.hdr
  if (source.rgb) return NOT_MEASURED.rgb
  if ((total * seconds) / (frames || 1) < LEAST_SEC) return NOT_MEASURED.short
  if (damaged) return NOT_MEASURED.damaged
  return scorerProgram() ? undefined : NOT_MEASURED.scorer
}

function sourcePictures(path: string, { source }: QualityBasis, { seekSec, filter }: BasisChunk, sample: readonly string[]): Pictures {
  const shared = source.startsWith.flatMap((stream) => ['-map', `0:${stream}`])
  return {
    args: [
      ...clockOptions(source),
      ...(seekSec === null ? [] : seekTo({ seek: { sec: seekSec, keyFrameSec: seekSec } })),
      ...guardedInput(path),
      ...(shared.length > 0 ? [...shared, '-c', 'copy', '-f', 'null', '-'] : []),
      ...['-map', `0:${source.videoStream}`, '-vf', [filter, ...sample].join(','), '-fps_mode', 'passthrough'],
    ],
    reads: [path],
  }
}

/** Appends the plain segments of a chunk to a file and returns what is stated about the stored ones. */
async function writePlain(
  input: Pick<Input, 'mediaId' | 'contentKey'> & { segments: ListedRendition['segments']; first: number; path: string },
): Promise<Pick<MeasuredRendition, 'segments' | 'embedded'>> {
  const { mediaId, contentKey, segments, first, path } = input
  const stated: MeasuredRendition['segments'] = []
  let embedded: string | null = null
  for (const [at, [name]] of segments.entries()) {
    const body = await readStoredSegment(mediaId, name)
    const hash = sha256(body).toString('hex')
    if (!hash.startsWith(name.replace(FRAGMENT, ''))) throw refuseDamaged(segmentKey(mediaId, name))
    const plain = contentKey ? decryptSegment(body, contentKey, first + at) : body
    if (at === 0 && !name.endsWith(FRAGMENT)) embedded = x264Settings(plain)
    stated.push([hash, body.byteLength])
    await appendFile(path, plain)
  }
  return { segments: stated, embedded }
}

async function score(input: Parameters<typeof scorePictures>[0] & { signal: AbortSignal }): Promise<Scored | undefined> {
  const scored = scorePictures(input).then((found) => ({ scores: scoresOf(found), libvmaf: versionOf(found) }))
  return unlessRefused(scored, input.signal)
}

interface Scored {
  scores: number[]
  libvmaf: string
}

/** Returns undefined when ffmpeg refuses the pictures, which another attempt would not change. */
async function unlessRefused<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (signal.aborted || !(error instanceof ProgramFailed) || isDiskFault(error)) throw error
    log().warn({ err: error }, 'the pictures of a chunk could not be compared')
    return undefined
  }
}
