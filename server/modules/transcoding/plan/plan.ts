import type { HdrPicture } from '../encode/hdr-picture.ts'
import { SEGMENT_SEC } from '../encode/segment-files.ts'
import { isSeekable } from '../probe/container.ts'
import type { KeyFrameMap, KeyTimes } from '../probe/packet-groups.ts'
import type { SourceFacts } from '../probe/probe.ts'
import type { QualitySearch } from '../quality/rate-factor.ts'
import { CHUNK_SIZES, type ChunkSizes, chooseStarts, type Start } from './chunk-starts.ts'
import { type CopyPlan, copyObstacle, planCopy } from './copy-plan.ts'
import type { FurtherCodec, H264Preset } from './encoders.ts'
import type { RenditionSpec } from './ladder.ts'
import { firstFrameOf, parseRate } from './segment-grid.ts'

/** A part of the picture that one task encodes, in every rendition. Frames are the output's, at its constant rate. */
export interface Chunk {
  position: number
  startFrame: number
  /** Null for the last chunk, which ends with the picture, unless that must be cut off (`isBounded`). */
  frames: number | null
  /** For progress and time limits. Equal to `frames` where that is known. */
  expectedFrames: number
  /** Media sequence number of its first segment. */
  firstSegment: number
  seek: Start['seek']
}

/** What a video's tasks encode. Stored as JSON. */
export interface TranscodePlan {
  version: 1
  facts: SourceFacts
  renditions: RenditionSpec[]
  segmentSec: number
  chunks: Chunk[]
  /** Absent if the top rendition is not copied from the source. */
  copy?: CopyPlan
  /** Absent if every chunk has the usual rate factor. */
  search?: QualitySearch
  /** x264 preset. Absent for the first one. */
  preset?: H264Preset
  /** Codec of its renditions. Absent for H.264. */
  codec?: FurtherCodec
  /** For renditions that keep the source's HDR picture. Absent if it is SDR or tone-mapped. */
  hdr?: HdrPicture
}

/** Returns the renditions that chunks encode, without a copied one that stays. */
export const encodedRenditions = ({ renditions, copy }: Pick<TranscodePlan, 'renditions' | 'copy'>): RenditionSpec[] =>
  copy?.kept ? renditions.slice(1) : renditions

/** Returns the number of a segment's first frame. Infinity after the last one of a copy. */
export function segmentStart({ facts, copy, codec }: Pick<TranscodePlan, 'facts' | 'copy' | 'codec'>, segment: number): number {
  if (codec) return segment * framesPerSegment(facts)
  return copy ? (copy.starts[segment] ?? Number.POSITIVE_INFINITY) : firstFrameOf(segment, parseRate(facts.frameRate.text))
}

/** Returns the frames of each AV1 segment. The encoder has keyframes at a constant distance. */
export const framesPerSegment = ({ frameRate }: Pick<SourceFacts, 'frameRate'>): number =>
  Math.max(1, Math.round(SEGMENT_SEC * frameRate.value))

const isDivisible = (facts: SourceFacts, { wholeSec }: ChunkSizes) => facts.durationSec > wholeSec && isSeekable(facts)
/** Returns whether a source's keyframes decide its chunks, which makes reading them worthwhile. */
export const needsKeyFrames = (facts: SourceFacts): boolean => isDivisible(facts, CHUNK_SIZES)

/** Divides a video into chunks that together yield the frames and segments of one pass. Pure. */
export function planTranscode(input: {
  facts: SourceFacts
  renditions: readonly RenditionSpec[]
  /** Undefined or not seekable: one chunk. */
  keyFrames?: KeyFrameMap
  /** Keyframes at which decoding can start whatever precedes them. Undefined: nothing is copied. */
  idrTimes?: readonly KeyTimes[]
  /** Chunk lengths. Tests use shorter ones. */
  chunkSizes?: ChunkSizes
  codec?: FurtherCodec | undefined
  hdr?: HdrPicture | undefined
}): TranscodePlan {
  const { facts, renditions, keyFrames, idrTimes, chunkSizes = CHUNK_SIZES, codec, hdr } = input
  const copy = keyFrames && idrTimes ? copyOf({ facts, renditions, keyFrames, idrTimes }) : undefined
  const rate = parseRate(facts.frameRate.text)
  const endSec = keyFrames?.seekable ? keyFrames.endSec + facts.pictureEndsEarlySec : facts.durationSec
  const totalFrames = copy?.frames ?? Math.max(1, Math.round((endSec * rate.frames) / rate.seconds))
  const firstFrame = (segment: number) => segmentStart({ facts, copy, codec }, segment)
  const starts =
    keyFrames?.seekable && isDivisible(facts, chunkSizes)
      ? chooseStarts({ facts, rate, totalFrames, keyFrames, copy, chunkSizes, firstFrame })
      : []
  return {
    version: 1,
    facts,
    renditions: [...renditions],
    segmentSec: SEGMENT_SEC,
    chunks: chunksOf([{ segment: 0, seek: null, runUpSec: 0 }, ...starts], firstFrame, {
      totalFrames,
      isBounded: facts.isBounded ?? false,
    }),
    ...(copy && { copy }),
    ...(codec && { codec }),
    ...(hdr && { hdr }),
  }
}

function copyOf({
  renditions,
  ...source
}: Required<Omit<Parameters<typeof planTranscode>[0], 'chunkSizes' | 'codec' | 'hdr'>>): CopyPlan | undefined {
  const [top] = renditions
  return top && copyObstacle(source.facts, renditions) === undefined ? planCopy({ ...source, top }) : undefined
}

function chunksOf(
  starts: readonly Start[],
  firstFrame: (segment: number) => number,
  { totalFrames, isBounded }: { totalFrames: number; isBounded: boolean },
): Chunk[] {
  return starts.map(({ segment, seek }, position) => {
    const startFrame = firstFrame(segment)
    const next = starts[position + 1]
    const frames = next ? firstFrame(next.segment) - startFrame : isBounded ? totalFrames - startFrame : null
    return { position, startFrame, frames, expectedFrames: frames ?? totalFrames - startFrame, firstSegment: segment, seek }
  })
}
