import { SEGMENT_SEC } from '../encode/segment-files.ts'
import { seekTimeOf } from '../probe/key-frames.ts'
import type { KeyFrame, KeyFrameMap } from '../probe/packet-groups.ts'
import type { SourceFacts } from '../probe/probe.ts'
import type { CopyPlan } from './copy-plan.ts'
import { frameTime, lateBySec, type Rate } from './segment-grid.ts'

/** How long a chunk should be, in segments, and the range in which to look for a start near a keyframe. */
interface ChunkSize {
  usual: number
  least: number
  most: number
}

export interface ChunkSizes {
  /** Seconds. Shorter videos are one chunk: sharing them costs more than it gains. */
  wholeSec: number
  /** For the first chunks, then for all others. */
  sizes: readonly ChunkSize[]
  /** The rest of a video is one chunk if it has at most this many segments. */
  last: number
}

/** A short first chunk plays early; several workers share short ones soon. */
export const CHUNK_SIZES: ChunkSizes = {
  wholeSec: 20,
  sizes: [
    { usual: 1, least: 1, most: 1 },
    { usual: 2, least: 2, most: 3 },
    { usual: 4, least: 3, most: 6 },
    { usual: 8, least: 6, most: 10 },
    { usual: 12, least: 8, most: 15 },
  ],
  last: 4,
}

/** Where a chunk can start. */
export interface Start {
  segment: number
  /** Where decoding starts. Null: at the start of the source. */
  seek: { sec: number; keyFrameSec: number } | null
  /** Seconds of the source to decode and drop. */
  runUpSec: number
}

/** A last chunk shorter than this many segments joins the previous one. */
const LEAST_LAST = 2
/** Decoding costs about a tenth of a chunk, so with a tenth of run-up, a chunk costs 1 % more. */
const MOST_RUN_UP = 0.1
/** With more than this in total, one chunk is cheaper. */
const MOST_TOTAL_RUN_UP = 0.25
/** Seconds of run-up that a length one segment further from the usual must save. */
const SHIFT_SEC = 0.1

interface Source {
  facts: SourceFacts
  rate: Rate
  totalFrames: number
  keyFrames: KeyFrameMap
  copy: CopyPlan | undefined
  chunkSizes: ChunkSizes
  /** Returns the number of the first frame of a segment. */
  firstFrame: (segment: number) => number
}

const fullSize = ({ sizes }: ChunkSizes, position: number) => sizes[Math.min(position, sizes.length - 1)] as ChunkSize

/**
 * Returns how long the chunk at a position should be if `left` segments are left. The last ones get shorter and shorter, each half of what
 * is left, so that several workers end at about the same time.
 */
function sizeAt(chunkSizes: ChunkSizes, position: number, left: number): ChunkSize {
  const size = fullSize(chunkSizes, position)
  const usual = Math.ceil(left / 2)
  return usual >= size.usual ? size : { usual, least: Math.ceil(usual * 0.7), most: Math.ceil(usual * 1.3) }
}

/** Returns the starts of all chunks after the first, near keyframes. None if a single chunk is cheaper. Pure. */
export function chooseStarts({ facts, rate, totalFrames, keyFrames, copy, chunkSizes, firstFrame }: Source): Start[] {
  const startAt = startFinder({ facts, rate, lateSec: copy?.lateSec ?? 0, keyFrames: keyFrames.keyFrames, firstFrame })
  if (copy) return copiedStarts(copy, rate, chunkSizes).map(startAt)
  const endSegment = Math.ceil((totalFrames * rate.seconds) / rate.frames / SEGMENT_SEC)
  const mostSec = MOST_TOTAL_RUN_UP * frameTime(totalFrames, rate)
  const starts: Start[] = []
  let runUpSec = 0
  for (let from = 0; runUpSec <= mostSec; ) {
    const start = nextStart({ from, position: starts.length, endSegment, rate, startAt, chunkSizes })
    if (!start) return starts
    starts.push(start)
    runUpSec += start.runUpSec
    from = start.segment
  }
  // The first one alone costs little, and a short video then plays while the rest is encoded.
  const [first] = starts
  const isShort = first && endSegment - first.segment <= fullSize(chunkSizes, starts.length + chunkSizes.sizes.length).most
  return isShort && first.runUpSec <= mostSec ? [first] : []
}

/** Returns the segments that the chunks after the first start with. Segments start with keyframes, so there is no run-up to avoid. */
function copiedStarts({ starts, frames }: CopyPlan, rate: Rate, chunkSizes: ChunkSizes): number[] {
  const chosen: number[] = []
  const timeOf = (segment: number) => frameTime(starts[segment] ?? frames, rate)
  const endSec = frameTime(frames, rate)
  for (let segment = 1; segment < starts.length; segment++) {
    const from = timeOf(chosen.at(-1) ?? 0)
    const leftSec = endSec - from
    if (leftSec <= chunkSizes.last * SEGMENT_SEC) break
    const usualSec = sizeAt(chunkSizes, chosen.length, leftSec / SEGMENT_SEC).usual * SEGMENT_SEC
    const isNearest = usualSec - (timeOf(segment) - from) <= timeOf(segment + 1) - from - usualSec
    if (isNearest && endSec - timeOf(segment) >= LEAST_LAST * SEGMENT_SEC) chosen.push(segment)
  }
  return chosen
}

interface Search {
  /** First segment of the chunk whose end is being looked for. */
  from: number
  position: number
  endSegment: number
  rate: Rate
  startAt: (segment: number) => Start
  chunkSizes: ChunkSizes
}

/** Returns the start of the chunk after one, near a keyframe. Undefined if that one is the last. */
function nextStart({ from, position, endSegment, rate, startAt, chunkSizes }: Search): Start | undefined {
  const left = endSegment - from
  if (left <= Math.min(chunkSizes.last, mostSegments(from, rate))) return undefined
  const { usual, least, most } = sizeAt(chunkSizes, position, left)
  const following = sizeAt(chunkSizes, position + 1, left - usual)
  const longest = Math.min(left - LEAST_LAST, mostSegments(from, rate))
  const enoughSec = Math.max(following.usual * SEGMENT_SEC * MOST_RUN_UP, SEGMENT_SEC)
  let best: Start | undefined
  const costOf = (start: Start) => start.runUpSec + SHIFT_SEC * Math.abs(start.segment - from - usual)
  // Beyond the usual range only while the keyframes are far apart.
  for (let length = Math.min(least, longest); length <= longest; length++) {
    if (best && length > most && best.runUpSec <= enoughSec) break
    const start = startAt(from + length)
    if (!best || costOf(start) < costOf(best)) best = start
  }
  // The rest is shared only if that costs little.
  const mayBeLast = left <= Math.min(fullSize(chunkSizes, position).most, mostSegments(from, rate))
  return mayBeLast && best && best.runUpSec > enoughSec ? undefined : best
}

/**
 * Returns how many segments a chunk can have. A chunk that starts late in its first segment is cut by a correspondingly shorter length
 * (`chunkArguments`), which adds up from segment to segment and must not reach the previous keyframe, KEY_FRAME_SEC earlier.
 */
function mostSegments(from: number, rate: Rate): number {
  const late = lateBySec(from, rate)
  return late === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(1.8 / (late + 0.0001)))
}

/** Fields and reference frames that a deinterlacing decoder must have seen before the first frame. */
const INTERLACED_LEAD = 6

function startFinder(source: {
  facts: SourceFacts
  rate: Rate
  /** Time of frame 0 in the source. */
  lateSec: number
  keyFrames: readonly KeyFrame[]
  firstFrame: (segment: number) => number
}): (segment: number) => Start {
  const { facts, rate, lateSec, keyFrames, firstFrame } = source
  const lead = facts.interlaced ? INTERLACED_LEAD : 0
  return (segment) => {
    const frame = firstFrame(segment)
    const timeSec = lateSec + frameTime(frame, rate)
    // Less than half a frame: the keyframe's own output frame is then this one or an earlier one.
    const key = lastBefore(keyFrames, lateSec + frameTime(frame - lead + 0.4, rate))
    if (!key || key === keyFrames[0]) return { segment, seek: null, runUpSec: timeSec }
    return { segment, seek: { sec: seekTimeOf(key), keyFrameSec: key.sec }, runUpSec: Math.max(0, timeSec - key.sec) }
  }
}

/** Returns the last keyframe at or before a time, by binary search. */
function lastBefore(keyFrames: readonly KeyFrame[], sec: number): KeyFrame | undefined {
  let [low, high] = [0, keyFrames.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keyFrames[middle] as KeyFrame).sec <= sec) low = middle + 1
    else high = middle
  }
  return keyFrames[low - 1]
}
