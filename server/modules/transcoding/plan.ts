import { type CopyPlan, copyObstacle, isSeekable, planCopy } from './copy-plan.ts'
import { type KeyFrame, type KeyFrameMap, seekTimeOf } from './key-frames.ts'
import type { RenditionSpec } from './ladder.ts'
import type { KeyTimes } from './packet-groups.ts'
import type { SourceFacts } from './probe.ts'
import { SEGMENT_SEC } from './segment-files.ts'
import { firstFrameOf, frameTime, lateBySec, parseRate, type Rate } from './segment-grid.ts'

/** A part of the picture that one task encodes, in every rendition. Frames are those of the output, at its constant rate. */
export interface Chunk {
  position: number
  startFrame: number
  /** Null for the last chunk, which ends with the picture. */
  frames: number | null
  /** For progress and time limits; equal to `frames` where that is known. */
  expectedFrames: number
  /** Media sequence number of its first segment. */
  firstSegment: number
  /** Where decoding begins; null: at the start of the source. */
  seek: { sec: number; keyFrameSec: number } | null
}

/** What the tasks of a video encode. Stored as JSON. */
export interface TranscodePlan {
  version: 1
  facts: SourceFacts
  renditions: RenditionSpec[]
  segmentSec: number
  chunks: Chunk[]
  /** Absent where the top rendition is not copied from the source. */
  copy?: CopyPlan
}

/** Returns the renditions that chunks encode. A copied one that stays is none of them. */
export const encodedRenditions = ({ renditions, copy }: Pick<TranscodePlan, 'renditions' | 'copy'>): RenditionSpec[] =>
  copy?.kept ? renditions.slice(1) : renditions

/** Returns the number of the first frame of a segment; Infinity behind the last one of a copy. */
export const segmentStart = ({ facts, copy }: Pick<TranscodePlan, 'facts' | 'copy'>, segment: number): number =>
  copy ? (copy.starts[segment] ?? Number.POSITIVE_INFINITY) : firstFrameOf(segment, parseRate(facts.frameRate.text))

/** Shorter videos are one chunk: sharing them costs more than it gains. */
const WHOLE_SEC = 20
/** Returns whether a source's key frames decide about its chunks, which makes reading them worthwhile. */
export const needsKeyFrames = (facts: SourceFacts): boolean => facts.durationSec > WHOLE_SEC && isSeekable(facts)

/**
 * Divides a video into chunks that together yield the frames and segments of one pass. Pure. The first chunks are short: the video is playable
 * early, and several workers share it soon.
 */
export function planTranscode(input: {
  facts: SourceFacts
  renditions: readonly RenditionSpec[]
  /** Undefined or not seekable: one chunk. */
  keyFrames?: KeyFrameMap
  /** Key frames at which decoding can begin whatever precedes them; undefined: nothing is copied. */
  idrTimes?: readonly KeyTimes[]
}): TranscodePlan {
  const { facts, renditions, keyFrames, idrTimes } = input
  const copy = keyFrames && idrTimes ? copyOf({ facts, renditions, keyFrames, idrTimes }) : undefined
  const rate = parseRate(facts.frameRate.text)
  const endSec = keyFrames?.seekable ? keyFrames.endSec + facts.pictureEndsEarlySec : facts.durationSec
  const totalFrames = copy?.frames ?? Math.max(1, Math.round((endSec * rate.frames) / rate.seconds))
  const starts = keyFrames?.seekable && needsKeyFrames(facts) ? chooseStarts({ facts, rate, totalFrames, keyFrames, copy }) : []
  return {
    version: 1,
    facts,
    renditions: [...renditions],
    segmentSec: SEGMENT_SEC,
    chunks: chunksOf(
      [{ segment: 0, seek: null, runUpSec: 0 }, ...starts],
      (segment) => segmentStart({ facts, copy }, segment),
      totalFrames,
    ),
    ...(copy && { copy }),
  }
}

function copyOf({ renditions, ...source }: Required<Parameters<typeof planTranscode>[0]>): CopyPlan | undefined {
  const [top] = renditions
  return top && copyObstacle(source.facts, renditions) === undefined ? planCopy({ ...source, top }) : undefined
}

/** Where a chunk may begin. */
interface Start {
  segment: number
  seek: Chunk['seek']
  /** Seconds of the source that are decoded and dropped. */
  runUpSec: number
}

function chunksOf(starts: readonly Start[], firstFrame: (segment: number) => number, totalFrames: number): Chunk[] {
  return starts.map(({ segment, seek }, position) => {
    const startFrame = firstFrame(segment)
    const next = starts[position + 1]
    const frames = next ? firstFrame(next.segment) - startFrame : null
    return { position, startFrame, frames, expectedFrames: frames ?? totalFrames - startFrame, firstSegment: segment, seek }
  })
}

/** Lengths of the first chunks, and of all others, in segments, with the range in which a start near a key frame is looked for. */
const LENGTHS = [
  { usual: 2, least: 2, most: 3 },
  { usual: 4, least: 3, most: 6 },
  { usual: 8, least: 6, most: 10 },
  { usual: 12, least: 8, most: 15 },
]
/** A last chunk shorter than this many segments joins the one before it. */
const LEAST_LAST = 2
/** Decoding costs about a tenth of a chunk (docs/decisions/0055): with a tenth of run-up a chunk costs 1 % more. */
const MOST_RUN_UP = 0.1
/** With more in total, one chunk is cheaper. */
const MOST_TOTAL_RUN_UP = 0.25
/** Seconds of run-up that a length one segment further from the usual one must save. */
const SHIFT_SEC = 0.1

interface Source {
  facts: SourceFacts
  rate: Rate
  totalFrames: number
  keyFrames: KeyFrameMap
  copy: CopyPlan | undefined
}

function chooseStarts({ facts, rate, totalFrames, keyFrames, copy }: Source): Start[] {
  const startAt = startFinder({
    facts,
    rate,
    lateSec: copy?.lateSec ?? 0,
    keyFrames: keyFrames.keyFrames,
    firstFrame: (segment) => segmentStart({ facts, copy }, segment),
  })
  if (copy) return copiedStarts(copy, rate).map(startAt)
  const endSegment = Math.ceil((totalFrames * rate.seconds) / rate.frames / SEGMENT_SEC)
  const mostSec = MOST_TOTAL_RUN_UP * frameTime(totalFrames, rate)
  const starts: Start[] = []
  let runUpSec = 0
  for (let from = 0; runUpSec <= mostSec; ) {
    const start = nextStart({ from, position: starts.length, endSegment, rate, startAt })
    if (!start) return starts
    starts.push(start)
    runUpSec += start.runUpSec
    from = start.segment
  }
  return []
}

/** Returns the segments with which the chunks after the first begin. Segments begin with key frames, so there is no run-up to avoid. */
function copiedStarts({ starts, frames }: CopyPlan, rate: Rate): number[] {
  const chosen: number[] = []
  const secondsTo = (segment: number) => frameTime((starts[segment] ?? frames) - (starts[chosen.at(-1) ?? 0] as number), rate)
  for (let segment = 1; segment < starts.length; segment++) {
    const usualSec = (LENGTHS[Math.min(chosen.length, LENGTHS.length - 1)] as (typeof LENGTHS)[number]).usual * SEGMENT_SEC
    const isNearest = usualSec - secondsTo(segment) <= secondsTo(segment + 1) - usualSec
    const restSec = frameTime(frames - (starts[segment] as number), rate)
    if (isNearest && restSec >= LEAST_LAST * SEGMENT_SEC) chosen.push(segment)
  }
  return chosen
}

interface Search {
  /** First segment of the chunk whose end is looked for. */
  from: number
  position: number
  endSegment: number
  rate: Rate
  startAt: (segment: number) => Start
}

/** Returns the start of the chunk after one, near a key frame; undefined when that one is the last. */
function nextStart({ from, position, endSegment, rate, startAt }: Search): Start | undefined {
  const { usual, least, most } = LENGTHS[Math.min(position, LENGTHS.length - 1)] as (typeof LENGTHS)[number]
  const following = LENGTHS[Math.min(position + 1, LENGTHS.length - 1)] as (typeof LENGTHS)[number]
  const longest = Math.min(endSegment - LEAST_LAST - from, mostSegments(from, rate))
  const enoughSec = following.usual * SEGMENT_SEC * MOST_RUN_UP
  if (endSegment - from <= Math.min(most, mostSegments(from, rate))) return undefined
  let best: Start | undefined
  const costOf = (start: Start) => start.runUpSec + SHIFT_SEC * Math.abs(start.segment - from - usual)
  // Beyond the usual range only while the key frames are far apart.
  for (let length = Math.min(least, longest); length <= longest; length++) {
    if (best && length > most && best.runUpSec <= Math.max(enoughSec, SEGMENT_SEC)) break
    const start = startAt(from + length)
    if (!best || costOf(start) < costOf(best)) best = start
  }
  return best
}

/**
 * Returns how many segments a chunk may have. A chunk that begins late in its first segment is cut by a length shorter by as much
 * (`chunkArguments`), which adds up from segment to segment and may not reach the previous key frame, KEY_FRAME_SEC earlier.
 */
function mostSegments(from: number, rate: Rate): number {
  const late = lateBySec(from, rate)
  return late === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(1.8 / (late + 0.0001)))
}

/** Fields and the reference frames of deinterlacing that a decoder must have seen before the first frame. */
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
    // Less than half a frame: the key frame's own frame of the output is then this one or an earlier one.
    const key = lastBefore(keyFrames, lateSec + frameTime(frame - lead + 0.4, rate))
    if (!key || key === keyFrames[0]) return { segment, seek: null, runUpSec: timeSec }
    return { segment, seek: { sec: seekTimeOf(key), keyFrameSec: key.sec }, runUpSec: Math.max(0, timeSec - key.sec) }
  }
}

/** Returns the last key frame at or before a time, by binary search. */
function lastBefore(keyFrames: readonly KeyFrame[], sec: number): KeyFrame | undefined {
  let [low, high] = [0, keyFrames.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keyFrames[middle] as KeyFrame).sec <= sec) low = middle + 1
    else high = middle
  }
  return keyFrames[low - 1]
}
