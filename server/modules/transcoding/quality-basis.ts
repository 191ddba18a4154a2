import type { Tx } from '../../platform/database.ts'
import type { Prisma } from '../../platform/prisma/client.ts'
import { framesOf, sharedStart } from './chunk-arguments.ts'
import type { TranscodePlan } from './plan.ts'
import type { ChunkResult } from './task-result.ts'

/** How the picture of one rendition was encoded, in one or more chunks. */
export interface Encoding {
  /** `x264`, a hardware encoder, or `copy` for packets of the source. */
  encoder: string
  /** Version of ffmpeg. */
  ffmpeg: string
  /** Options of the picture, without key frames. */
  options: string[]
}

/** A chunk of a complete video. */
export interface BasisChunk {
  startFrame: number
  frames: number
  /** Media sequence number of its first segment. */
  firstSegment: number
  /** Where decoding of the source begins, in seconds; null: at its start. */
  seekSec: number | null
  /** Filters of ffmpeg from decoded pictures of the source to those of the chunk. */
  filter: string
  /** Whether a part of it could not be decoded. */
  damaged: boolean
  /** Places in `encodings` by quality; a rendition of a version that recorded none has none. */
  encodings: Record<string, number>
}

/** What a quality receipt needs to know of a transcoding whose plan and tasks are gone. Stored as JSON. */
export interface QualityBasis {
  version: 1
  source: {
    videoStream: number
    /** Further streams that must be read, as they decide about the start of the file. */
    startsWith: number[]
    /** As in SourceFacts. */
    closesJumps?: true
    /** Frames a second, as a number or fraction. */
    frameRate: string
    interlaced: boolean
    hdr: boolean
    rgb: boolean
  }
  chunks: BasisChunk[]
  encodings: Encoding[]
}

/** Returns the basis of a video's receipt. `results`: of all chunks, in order; `stored`: the renditions that the video has. Pure. */
export function qualityBasis(
  { facts, copy, renditions, chunks }: TranscodePlan,
  results: readonly ChunkResult[],
  stored: readonly { quality: string }[] = renditions,
): QualityBasis {
  const encodings: Encoding[] = []
  const places = new Map<string, number>()
  const placeOf = (encoding: Encoding): number => {
    const key = JSON.stringify(encoding)
    const place = places.get(key) ?? encodings.push(encoding) - 1
    places.set(key, place)
    return place
  }
  const copied = copy?.kept ? renditions[0]?.quality : undefined
  const kept = chunks.flatMap((chunk, at): BasisChunk[] => {
    const result = results[at]
    if (!result || result.frames === 0) return []
    const { encoding } = result
    const own = Object.entries(encoding?.options ?? {}).flatMap(([quality, options]) => {
      const { encoder = '', ffmpeg = '' } = encoding ?? {}
      return stored.some((one) => one.quality === quality) ? [[quality, placeOf({ encoder, ffmpeg, options })] as const] : []
    })
    const ofCopy = copied && encoding ? [[copied, placeOf({ encoder: 'copy', ffmpeg: encoding.ffmpeg, options: [] })] as const] : []
    return [
      {
        startFrame: chunk.startFrame,
        frames: result.frames,
        firstSegment: chunk.firstSegment,
        seekSec: chunk.seek?.sec ?? null,
        filter: framesOf(facts, chunk, copy?.lateSec ?? 0).join(','),
        damaged: (result.damage?.length ?? 0) > 0,
        encodings: Object.fromEntries([...own, ...ofCopy]),
      },
    ]
  })
  const isShared = sharedStart(
    facts,
    facts.audio.map(({ stream }) => stream),
  )
  return {
    version: 1,
    source: {
      videoStream: facts.videoStream,
      startsWith: isShared.length > 0 ? facts.audio.map(({ stream }) => stream) : [],
      ...(facts.closesJumps && { closesJumps: true }),
      frameRate: facts.frameRate.text,
      interlaced: facts.interlaced,
      hdr: facts.hdr !== undefined,
      rgb: facts.colors.rgb,
    },
    chunks: kept,
    encodings,
  }
}

/** Requests the quality receipt of media that was just completed; its video is `videoId`. */
export async function requestReceipt(
  tx: Tx,
  { videoId, mediaId, basis }: { videoId: string; mediaId: string; basis: QualityBasis },
): Promise<void> {
  await tx.qualityReceipt.create({ data: { videoId, mediaId, basis: basis as unknown as Prisma.InputJsonObject } })
}
