import { sha256 } from '../../platform/crypto.ts'
import { displayOf, MOST_PAIRS, pairStarts } from '../quality/sample.ts'
import { type Quality, qualityOf } from '../quality/vmaf.ts'
import type { QualityBasis } from '../transcoding/quality-basis.ts'
import type { ListedRendition } from './measure-chunk.ts'
import type { MeasuredChunk, MeasuredRendition } from './measured.ts'
import type { QualityFacts } from './schema.ts'

/** The media of a COMPLETED video. */
export interface CompleteMedia {
  videoId: string
  accountId: string
  /** SHA-256, hexadecimal. */
  sourceHash: string
  sourceBytes: number
  encrypted: boolean
  completedAt: Date
  /** Highest first. */
  renditions: (ListedRendition & { codecs: string })[]
}

interface Input {
  mediaId: string
  basis: QualityBasis
  media: CompleteMedia
  /** Results in the order of the chunks. */
  chunks: readonly MeasuredChunk[]
}

/** Returns what a quality receipt states beyond the fields of every receipt. Pure. */
export function receiptFacts({ mediaId, basis, media, chunks }: Input): QualityFacts {
  const { source } = basis
  const [top] = media.renditions
  if (!top) throw new Error('the media have no rendition')
  const libvmaf = chunks.find((chunk) => chunk.libvmaf !== null)?.libvmaf
  const encodings = encodingsOf(basis, chunks)
  return {
    version: 1,
    media: mediaId,
    completedAt: media.completedAt.toISOString(),
    encrypted: media.encrypted,
    source: {
      sha256: media.sourceHash,
      bytes: media.sourceBytes,
      frameRate: source.frameRate,
      videoStream: source.videoStream,
      startsWith: source.startsWith,
    },
    method:
      libvmaf === undefined || libvmaf === null
        ? null
        : { metric: 'VMAF', model: 'vmaf_v0.6.1', libvmaf, display: displayOf(top), sample: 'pairs', pairsPerChunk: MOST_PAIRS },
    encodings: encodings.list,
    chunks: basis.chunks.map(({ startFrame, frames, firstSegment, seekSec, filter }) => ({
      startFrame,
      frames,
      startSec: secondsOf(startFrame, source.frameRate),
      endSec: secondsOf(startFrame + frames, source.frameRate),
      firstSegment,
      seekSec,
      filter,
      pairs: pairStarts(frames),
    })),
    renditions: media.renditions.map(({ quality, width, height, codecs, init }) => {
      const own = chunks.flatMap(({ renditions }) => renditions[quality] ?? [])
      const parts = own.map((one, position) => ({
        encoding: encodings.placeOf(position, quality),
        bytes: bytesOf(one),
        vmaf: one.quality && rounded(one.quality),
        notMeasured: one.notMeasured,
        segments: one.segments.map(([sha256, bytes]) => ({ sha256, bytes })),
      }))
      const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
      return { quality, width, height, codecs, ...(init !== null && { init: initOf(init) }), bytes, ...wholeOf(own), chunks: parts }
    }),
  }
}

/** Returns the scores of a rendition as a whole: of all pictures that were compared, where every chunk was. */
function wholeOf(chunks: readonly MeasuredRendition[]): { vmaf: Quality | null; notMeasured: string | null } {
  const notMeasured = chunks.find((chunk) => chunk.notMeasured !== null)?.notMeasured ?? null
  return { vmaf: notMeasured === null ? rounded(qualityOf(chunks.flatMap(({ scores }) => scores))) : null, notMeasured }
}

/** `init`: in base64. */
function initOf(init: string): { sha256: string; bytes: number } {
  const body = Buffer.from(init, 'base64')
  return { sha256: sha256(body).toString('hex'), bytes: body.byteLength }
}

const bytesOf = ({ segments }: MeasuredRendition) => segments.reduce((sum, [, bytes]) => sum + bytes, 0)
const round = (score: number) => Math.round(score * 1_000) / 1_000
const rounded = ({ mean, p5, min, pictures }: Quality): Quality => ({ mean: round(mean), p5: round(p5), min: round(min), pictures })

/** Returns the time of a frame in seconds, in milliseconds precision. `rate`: a number or fraction. */
function secondsOf(frame: number, rate: string): number {
  const [frames = 1, seconds = 1] = rate.split('/').map(Number)
  return Math.round((frame * seconds * 1_000) / frames) / 1_000
}

/** Lists how pictures were encoded, with what the encoder states in them: chunks encoded in the same way share an entry. */
function encodingsOf(basis: QualityBasis, chunks: readonly MeasuredChunk[]) {
  const list: QualityFacts['encodings'] = []
  const places = new Map<string, number>()
  const placed = chunks.map(({ renditions }, position) => {
    const own = Object.entries(renditions).map(([quality, { embedded }]) => {
      const recorded = basis.encodings[basis.chunks[position]?.encodings[quality] ?? -1]
      const entry = { encoder: null, ffmpeg: null, options: null, ...recorded, embedded }
      const key = JSON.stringify(entry)
      const place = places.get(key) ?? list.push(entry) - 1
      places.set(key, place)
      return [quality, place] as const
    })
    return new Map(own)
  })
  return { list, placeOf: (position: number, quality: string) => placed[position]?.get(quality) ?? 0 }
}
