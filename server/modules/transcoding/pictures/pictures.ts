import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { storePicture } from '../../videos/extras.ts'
import { pictureKey } from '../../videos/media-keys.ts'
import type { Storyboard } from '../../videos/schema.ts'
import { readPictures } from '../encode/mpeg-ts.ts'
import { KEY_FRAME_SEC, LONGEST_SEGMENT_SEC, OWN_FORMAT } from '../encode/segment-files.ts'
import { type MediaSource, plainSegments, readPlainSegment, type SegmentSource } from '../encode/stored-segments.ts'
import type { RenditionSpec } from '../plan/ladder.ts'
import type { StoredRendition } from '../tasks/store.ts'
import { iframeSegment, secondsBetween } from './iframes.ts'

/** Names of the stored pictures, as in the video's row. */
export interface StoredPictures {
  poster: string | null
  candidates: string[]
  storyboard: Storyboard | null
  /** Their total size in bytes, each distinct picture counted once. */
  bytes: number
}

export const NO_PICTURES: StoredPictures = { poster: null, candidates: [], storyboard: null, bytes: 0 }

/** Positions of the poster candidates, as fractions of the video's length. */
const CANDIDATES = [0.1, 0.3, 0.5, 0.7, 0.9]
/** Maximum number of previews: a 15-minute video has one every 2 s, a two-hour one every 16 s. */
const MOST_PREVIEWS = 450
const ACROSS = 10
const DOWN = 10
/** Longer side of a preview, pixels. */
const PREVIEW = 160

/**
 * Packets that ffmpeg reads ahead. Before version 7, ffmpeg with several inputs sleeps for 10 ms whenever an input has none: with the
 * default of 8, a second for two minutes of video on one core.
 */
const QUEUED_PACKETS = 1_024

/** A rendition whose stored segments pictures are created from. */
type Pictured = Pick<StoredRendition, 'quality' | 'width' | 'height' | 'segments'>

interface Input extends MediaSource {
  /** An empty folder. */
  folder: string
  /** Highest first. */
  renditions: readonly Pictured[]
  /** Collects each picture's storage key once it is stored. */
  written?: Set<string>
  signal: AbortSignal
}

/**
 * Creates and stores poster candidates and the storyboard from the stored segments. One cheap ffmpeg run: each poster from a single frame,
 * previews only from the lowest rendition's keyframes.
 */
export async function makePictures({ folder, renditions, written, signal, ...media }: Input): Promise<StoredPictures> {
  const lowest = renditions.at(-1)
  const clear = renditions.find(isClear) ?? lowest
  if (!lowest || !clear) throw new Error('There are no renditions to create images from.')
  const { mediaId } = media
  const seconds = lowest.segments.reduce((sum, [, durationSec]) => sum + durationSec, 0)
  const board = storyboardLayout(seconds, lowest)
  const moments = CANDIDATES.map((part, at) => ({ ...momentOf(clear, seconds * part), path: join(folder, `moment-${at}.ts`) }))
  const cuts = await Promise.all(moments.map((moment) => writeMoment({ ...media, stream: clear.quality }, moment)))
  const posterFile = (at: number) => join(folder, `poster-${at}.jpg`)
  const jpeg = ['-pix_fmt', 'yuvj420p', '-map_metadata', '-1']
  const previews = `${keyFramesAt(board)},scale=${board.width}:${board.height},tile=${board.columns}x${board.rows}`
  await ffmpeg(
    [
      ...['-thread_queue_size', String(QUEUED_PACKETS), ...OWN_FORMAT, '-skip_frame', 'nokey', '-i', 'pipe:0'],
      ...moments.flatMap(({ path }) => [...OWN_FORMAT, '-i', path]),
      ...['-map', '0:v', '-vf', previews, '-fps_mode', 'passthrough', '-q:v', '5', ...jpeg, '-f', 'image2', join(folder, 'sheet-%d.jpg')],
      // Seeking in the input finds no keyframe in a segment this short; the frames before are decoded and dropped.
      ...cuts.flatMap(({ offsetSec }, at) => [
        ...['-map', `${at + 1}:v`, '-ss', offsetSec.toFixed(3), '-frames:v', '1'],
        ...['-q:v', '3', ...jpeg, '-f', 'mjpeg', posterFile(at)],
      ]),
    ],
    { signal, input: plainSegments({ ...media, stream: lowest.quality }, lowest.segments), only: { reads: [], writes: [folder] } },
  )
  const sizes = new Map<string, number>()
  const keep = async (picture: Buffer) => {
    const name = await storePicture(mediaId, picture)
    written?.add(pictureKey(mediaId, name))
    sizes.set(name, picture.length)
    return name
  }
  const sheets: string[] = []
  for (let sheet = 1; sheet <= Math.ceil(board.count / (board.columns * board.rows)); sheet++)
    sheets.push(await keep(await readFile(join(folder, `sheet-${sheet}.jpg`))))
  const drawn = await Promise.all(moments.map((_, at) => readFile(posterFile(at))))
  // At the very end of a video, there may be no frame left to decode.
  const posters = drawn.filter((one) => one.length > 0)
  const names: string[] = []
  for (const poster of posters) names.push(await keep(poster))
  const bytes = [...sizes.values()].reduce((sum, one) => sum + one, 0)
  return { poster: names[mostDetailed(posters)] ?? null, candidates: [...new Set(names)], storyboard: { ...board, sheets }, bytes }
}

/** A rendition's frames are late by less (`lateBySec`), and keyframes are further apart. */
const LATE_SEC = 0.25

/**
 * Returns filters from keyframes to the one shown at each moment of a storyboard: the last at or before it. If segments start with the
 * source's keyframes, these are not equally spaced.
 */
function keyFramesAt({ everySec, count }: Pick<Storyboard, 'everySec' | 'count'>): string {
  // The last keyframe is shown until the end, wherever that is. Before `setpts`, after which ffmpeg 7 knows no rate to hold it at.
  const held = `tpad=stop_mode=clone:stop_duration=${2 * everySec + LONGEST_SEGMENT_SEC}`
  return `${held},setpts=PTS-STARTPTS-${LATE_SEC}/TB,fps=1/${everySec}:round=up,trim=end_frame=${count}`
}

/** Selects renditions up to 720 pixels, the resolution a poster needs. */
const isClear = ({ width, height }: Pick<RenditionSpec, 'width' | 'height'>) => Math.min(width, height) <= 720

/** Returns the number of previews, their interval and their layout on the sheets. */
export function storyboardLayout(seconds: number, { width, height }: Pick<RenditionSpec, 'width' | 'height'>): Omit<Storyboard, 'sheets'> {
  const keyFrames = Math.max(1, Math.ceil(seconds / KEY_FRAME_SEC - 0.02))
  const step = Math.ceil(keyFrames / MOST_PREVIEWS)
  const count = Math.ceil(keyFrames / step)
  const columns = Math.min(ACROSS, count)
  const rows = Math.min(DOWN, Math.ceil(count / columns))
  const scale = PREVIEW / Math.max(width, height)
  const side = (pixels: number) => Math.max(2, Math.round((pixels * scale) / 2) * 2)
  return { everySec: step * KEY_FRAME_SEC, count, columns, rows, width: side(width), height: side(height) }
}

/** A position in a video: a segment and the offset in it. */
interface Moment {
  name: string
  sequence: number
  offsetSec: number
  /** Whether the keyframe before it does as well. */
  isRough: boolean
}

/** Returns the moment of a position. In videos of more than 5 segments, keyframes are close enough to each of them. */
function momentOf({ segments }: Pictured, second: number): Moment {
  const isRough = segments.length > 5
  let start = 0
  for (const [sequence, [name, durationSec]] of segments.entries()) {
    const into = second - start
    if (into < durationSec) return { name, sequence, offsetSec: into, isRough }
    start += durationSec
  }
  return { name: segments[0]?.[0] ?? '', sequence: 0, offsetSec: 0, isRough }
}

/** Writes what a moment is decoded from: its segment, or one keyframe, which costs a hundredth of it. Returns the offset in that file. */
async function writeMoment(source: SegmentSource, moment: Moment & { path: string }): Promise<{ offsetSec: number }> {
  const plain = await readPlainSegment(source, moment.name, moment.sequence)
  await writeFile(moment.path, moment.isRough ? keyFrameBefore(plain, moment.offsetSec) : plain)
  return { offsetSec: moment.isRough ? 0 : moment.offsetSec }
}

/** Returns the last keyframe of a segment at or before an offset, as a segment. */
function keyFrameBefore(plain: Buffer, offsetSec: number): Buffer {
  const { tables, pictures } = readPictures(plain)
  const [first, ...others] = pictures.filter(({ isKey }) => isKey)
  if (!first) throw new Error('a segment has no key frame')
  const key = others.findLast((one) => secondsBetween(first, one) <= offsetSec) ?? first
  return iframeSegment({ tables, pictures: [key] }, 0)
}

/**
 * Returns the index of the first picture, unless another is far more detailed (the first is black or a plain title). JPEG size measures
 * detail.
 */
function mostDetailed(pictures: readonly Buffer[]): number {
  const sizes = pictures.map((one) => one.length)
  const most = Math.max(...sizes)
  return (sizes[0] ?? 0) >= most * 0.4 ? 0 : sizes.indexOf(most)
}
