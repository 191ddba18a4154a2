import { SEGMENT_SEC } from '../encode/segment-files.ts'
import { isSeekable } from '../probe/container.ts'
import type { KeyFrameMap, KeyTimes, PacketGroup } from '../probe/packet-groups.ts'
import type { SourceFacts } from '../probe/probe.ts'
import { measureRates } from '../quality/measure-rates.ts'
import type { RenditionSpec } from './ladder.ts'
import { frameTime, parseRate, type Rate } from './segment-grid.ts'

/** How the top rendition is cut from the source's packets, and so where segments start in every rendition. Stored as JSON. */
export interface CopyPlan {
  /** Number of the first frame of each segment, from 0. */
  starts: number[]
  /** Frames of the source. */
  frames: number
  /** When the first frame is shown, in every rendition: a little after the audio starts. */
  lateSec: number
  /** Maximum rate of its segments in bits per second, without MPEG-TS. */
  peakRate: number
  /** Whether the copy stays. Otherwise, it plays until the video is complete, and chunks encode the top rendition as well. */
  kept: boolean
  /** Set once cutting the packets failed: nothing of the copy plays, and chunks keep its boundaries. */
  dropped?: true
}

/** A video of a single segment is encoded about as soon as it is copied. */
export const LEAST_COPIED_SEC = SEGMENT_SEC
/** Maximum distance between keyframes, which limits how long segments are. */
export const MOST_KEY_FRAME_SEC = 5
/** Maximum average rate, as a multiple of the top rendition's limit. */
const MOST_RATE = 1.5
/** Highest level that phones and TVs decode in hardware: 1080p at 60 frames per second. */
const MOST_LEVEL = 42
const MOST_SIDES = { shorter: 1080, longer: 1920 }
/** ffmpeg receives the start of each segment as one argument of at most 128 KiB. */
const MOST_SEGMENTS = 15_000
/**
 * Latest time that the first frame may be shown. Matroska files start with the priming of their audio, and others with reordered frames.
 */
const MOST_LATE_SEC = 0.1
const PROFILES = ['High', 'Main', 'Baseline', 'Constrained Baseline', 'Progressive High', 'Constrained High']

type Facts = Pick<SourceFacts, 'durationSec' | 'container' | 'width' | 'height' | 'hdr' | 'coding' | 'pictureEndsEarlySec'>

/** Returns why a source's packets are not copied, as far as its facts tell. Undefined if its packets decide. Pure. */
export function copyObstacle(facts: Facts, renditions: readonly RenditionSpec[]): string | undefined {
  const { coding, width, height } = facts
  const [top, second] = renditions
  const conditions: [string, boolean][] = [
    ['codec', coding?.codec === 'h264'],
    ['profile', PROFILES.includes(coding?.profile ?? '')],
    ['level', (coding?.level ?? 0) > 0 && (coding?.level ?? 0) <= MOST_LEVEL],
    ['pixel format', coding?.pixelFormat === 'yuv420p'],
    ['fields', coding?.progressive === true],
    ['pixel shape', coding?.squarePixels === true],
    ['colors', coding?.otherColors === undefined],
    ['rotation', coding?.rotated === false],
    ['dynamic range', facts.hdr === undefined],
    ['container', isSeekable(facts)],
    ['length', facts.durationSec > LEAST_COPIED_SEC],
    ['size', Math.min(width, height) <= MOST_SIDES.shorter && Math.max(width, height) <= MOST_SIDES.longer],
    // The top rendition has the source's size unless a lower quality was requested, or a side is odd.
    ['target', top?.width === width && top.height === height],
    // The others are encoded from the same packets, which proves that these can be decoded.
    ['single rendition', second !== undefined],
    // The last frame would be missing while the audio continues.
    ['picture ends early', facts.pictureEndsEarlySec === 0],
  ]
  return conditions.find(([, isMet]) => !isMet)?.[0]
}

interface Input {
  facts: Pick<SourceFacts, 'frameRate' | 'container'>
  top: RenditionSpec
  keyFrames: KeyFrameMap
  /** Keyframes at which decoding can start (`KeyFrameMap`). */
  idrTimes: readonly KeyTimes[]
}

/** Plans the copy of a source without obstacles. Undefined if its packets do not allow it. Pure. */
export function planCopy({ facts, top, keyFrames, idrTimes }: Input): CopyPlan | undefined {
  const rate = parseRate(facts.frameRate.text)
  const lateSec = keyFrames.keyFrames[0]?.sec ?? Number.NaN
  if (!keyFrames.seekable || !keyFrames.groups || !(lateSec >= 0 && lateSec <= MOST_LATE_SEC)) return undefined
  const idr = new Set(idrTimes.map((key) => timeOf(facts, key)))
  const closed = closedGroups(keyFrames.groups, ({ key }) => idr.has(timeOf(facts, key)))
  if (!closed) return undefined
  const { packets: frames } = keyFrames
  const ends = [...closed.slice(1).map(({ frame }) => frame), frames]
  if (closed.some(({ frame }, at) => frameTime((ends[at] ?? 0) - frame, rate) > MOST_KEY_FRAME_SEC + frameTime(0.5, rate))) return undefined
  const starts = chooseStarts([...closed.map(({ frame }) => frame), frames], rate)
  const { bandwidth: peakRate, averageBandwidth } = measureRates(segmentsOf({ starts, frames }, closed, rate))
  if (starts.length > MOST_SEGMENTS || averageBandwidth > MOST_RATE * top.maxVideoRate) return undefined
  return { starts, frames, lateSec, peakRate, kept: peakRate <= top.maxVideoRate }
}

/** Returns the time that identifies a container's packet: the one it stores. */
const timeOf = (facts: Pick<SourceFacts, 'container'>, { sec, dtsSec }: KeyTimes) => (facts.container.includes('mp4') ? dtsSec : sec)

/**
 * Joins groups of packets into groups whose keyframe decoding can start at. Undefined unless these have every frame once: each group starts
 * with its first frame, no earlier one follows in the file, and all are in order.
 */
function closedGroups(groups: readonly PacketGroup[], isIdr: (group: PacketGroup) => boolean): PacketGroup[] | undefined {
  const joined: PacketGroup[] = []
  for (const group of groups) {
    const before = joined.at(-1)
    if (isIdr(group)) joined.push({ ...group })
    else if (before) {
      before.packets += group.packets
      before.bytes += group.bytes
      before.sum += group.sum
      before.least = Math.min(before.least, group.least)
    } else return undefined
  }
  let next = 0
  for (const { frame, packets, least, sum } of joined) {
    if (frame !== next || least !== frame || sum !== packets * frame + (packets * (packets - 1)) / 2) return undefined
    next = frame + packets
  }
  return joined.length > 0 ? joined : undefined
}

/** Returns the boundaries that segments start with, each as near as possible to the usual length. The last boundary is the end. */
function chooseStarts(boundaries: readonly number[], rate: Rate): number[] {
  const starts = [0]
  const missBy = (frame: number) => Math.abs(frameTime(frame - (starts.at(-1) as number), rate) - SEGMENT_SEC)
  for (const [at, frame] of boundaries.slice(0, -1).entries())
    if (frame > 0 && missBy(frame) <= missBy(boundaries[at + 1] as number)) starts.push(frame)
  return starts
}

function segmentsOf({ starts, frames }: Pick<CopyPlan, 'starts' | 'frames'>, groups: readonly PacketGroup[], rate: Rate) {
  const segments = segmentLengths({ starts, frames }, rate).map((durationSec) => ({ durationSec, bytes: 0 }))
  let at = 0
  for (const { frame, bytes } of groups) {
    while (frame >= (starts[at + 1] ?? Number.POSITIVE_INFINITY)) at++
    const segment = segments[at]
    if (segment) segment.bytes += bytes
  }
  return segments
}

/** Returns the length of each copied segment in seconds. */
export const segmentLengths = ({ starts, frames }: Pick<CopyPlan, 'starts' | 'frames'>, rate: Rate): number[] =>
  starts.map((start, at) => frameTime((starts[at + 1] ?? frames) - start, rate))
