import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeChunk } from '../../modules/transcoding/encode/encode-chunk.ts'
import type { EncodedSegment } from '../../modules/transcoding/encode/encoded.ts'
import type { ChunkSizes } from '../../modules/transcoding/plan/chunk-starts.ts'
import { ladder } from '../../modules/transcoding/plan/ladder.ts'
import { planTranscode, type TranscodePlan } from '../../modules/transcoding/plan/plan.ts'
import { readKeyFrames } from '../../modules/transcoding/probe/key-frames.ts'
import type { KeyFrameMap } from '../../modules/transcoding/probe/packet-groups.ts'
import { probe } from '../../modules/transcoding/probe/probe.ts'
import { ffmpeg } from '../../platform/ffmpeg/ffmpeg.ts'

const never = new AbortController().signal

/** Columns of a numbered frame; each is white or black, as a bit of the frame's number. */
const COLUMNS = 16

/** Returns ffmpeg's input options for frames that show their numbers as vertical bars, without audio. */
export const numberedFrames = (rate: string, seconds: number): string[] => [
  ...['-f', 'lavfi', '-i'],
  `nullsrc=size=${COLUMNS}x2:rate=${rate}:duration=${seconds},geq=lum='16+219*mod(floor(N/pow(2,floor(X))),2)':cb=128:cr=128,scale=256:144:flags=neighbor,setsar=1`,
]

/** Chunks of one segment each, so that a few seconds have several. */
export const TINY_CHUNKS: ChunkSizes = { wholeSec: 4, sizes: [{ usual: 1, least: 1, most: 2 }], last: 2 }

/** Returns a file's plan in chunks, and its plan for one pass. `chunkSizes`: the service's unless given. */
export async function plansOf(
  path: string,
  { target = '144p', chunkSizes }: { target?: string; chunkSizes?: ChunkSizes } = {},
): Promise<{ chunked: TranscodePlan; single: TranscodePlan; keyFrames: KeyFrameMap }> {
  const facts = await probe(path, never)
  const renditions = ladder({ ...facts, frameRate: facts.frameRate.value }, target)
  const keyFrames = await readKeyFrames(path, { videoStream: facts.videoStream, codec: facts.coding?.codec }, never)
  return { chunked: planTranscode({ facts, renditions, keyFrames, chunkSizes }), single: planTranscode({ facts, renditions }), keyFrames }
}

export interface Joined {
  /** A playlist of the first rendition. */
  list: string
  segments: EncodedSegment[]
  /** Frames of each chunk. */
  frames: number[]
}

/** Encodes every chunk of a plan, last one first, and joins their segments. */
export async function encodeJoined(source: string, plan: TranscodePlan, scratch: string): Promise<Joined> {
  const folder = await mkdtemp(join(scratch, 'chunks-'))
  const done: { frames: number; segments: EncodedSegment[] }[] = []
  for (const chunk of plan.chunks.toReversed()) {
    const own = await mkdtemp(join(folder, 'chunk-'))
    const { frames, renditions } = await encodeChunk({ source, folder: own, plan, chunk, signal: never, onProgress: () => {} })
    done.unshift({ frames, segments: renditions[0]?.segments ?? [] })
  }
  const segments = done.flatMap((one) => one.segments)
  return { list: await writePlaylist(join(folder, 'joined.m3u8'), segments), segments, frames: done.map(({ frames }) => frames) }
}

export async function writePlaylist(path: string, segments: readonly EncodedSegment[]): Promise<string> {
  const lines = segments.map((one) => `#EXTINF:${one.durationSec},\n${one.path}\n`).join('')
  await writeFile(path, `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:5\n#EXT-X-MEDIA-SEQUENCE:0\n${lines}#EXT-X-ENDLIST\n`)
  return path
}

/**
 * Plays a playlist. Returns the luma of each column of each frame, the packets' presentation times in order, in seconds, and what ffmpeg
 * complains about.
 */
export async function play(list: string): Promise<{ frames: Uint8Array[]; times: number[]; warnings: string }> {
  const raw = `${list}.gray`
  const shrink = ['-vf', `scale=${COLUMNS}:1:flags=area,format=gray`, '-fps_mode', 'passthrough', '-f', 'rawvideo', raw]
  const packets = ['-map', '0:v', '-c', 'copy', '-f', 'framecrc', '-']
  const times: number[] = []
  let tick = Number.NaN
  const onLine = (line: string) => {
    const [, above, below] = /^#tb \d+: (\d+)\/(\d+)/.exec(line) ?? []
    if (above) tick = Number(above) / Number(below)
    if (!line.startsWith('#')) times.push(Number(line.split(',')[2]) * tick)
  }
  const warnings = await ffmpeg(['-copyts', '-i', list, '-map', '0:v', ...shrink, ...packets], { onLine })
  const bytes = await readFile(raw)
  const frames = Array.from({ length: bytes.length / COLUMNS }, (_, at) => bytes.subarray(at * COLUMNS, (at + 1) * COLUMNS))
  return { frames, times: times.sort((a, b) => a - b), warnings }
}

/** Returns the numbers of the frames that differ between two recordings of the same source. */
export function differences(one: readonly Uint8Array[], other: readonly Uint8Array[]): number[] {
  const found: number[] = []
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const [a, b] = [one[at], other[at]]
    // Encoding changes a bar by a few steps; another frame's number by hundreds.
    if (!a || !b || a.some((value, column) => Math.abs(value - (b[column] as number)) > 60)) found.push(at)
  }
  return found
}
