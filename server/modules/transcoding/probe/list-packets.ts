import { ffmpeg, guardedInput } from '../../../platform/ffmpeg/ffmpeg.ts'
import { clockOptions } from '../encode/clock-filters.ts'
import { groupCollector, type KeyFrame, type KeyFrameMap, type KeyTimes } from './packet-groups.ts'

export interface PacketSource {
  path: string
  videoStream: number
  /**
   * Whether times can jump or repeat within its container. ffmpeg then lists the times that encoding gets, which follow each other;
   * otherwise, those in the file.
   */
  isDiscontinuous?: boolean
  /** As in SourceFacts. */
  closesJumps?: boolean
  signal: AbortSignal
}

interface Listing {
  /** Called with each line of ffmpeg's `framecrc` format. */
  onLine: (line: string) => unknown
  /** Lists only the packet that a seek to this time starts with. */
  fromSec?: number
  /** Also lists H.264's instantaneous refreshes (IDR, NAL units of type 5), as a second stream. */
  withRefreshes?: boolean
  /** Also lists these audio streams, last. */
  sounds?: readonly number[]
  /** More ffmpeg options, and another output. */
  before?: readonly string[]
  output?: readonly string[]
}

/**
 * Lists a stream's packets without decoding. Returns ffmpeg's warnings. Where packets are skipped, such as those between refreshes, MP4
 * states wrong presentation times, and Matroska wrong decode times.
 */
export function listPackets(
  { path, videoStream, isDiscontinuous = false, closesJumps, signal }: PacketSource,
  { onLine, fromSec, withRefreshes = false, sounds = [], before = [], output = [] }: Listing,
): Promise<string> {
  const input = [...(fromSec === undefined ? [] : ['-noaccurate_seek', '-ss', fromSec.toFixed(6)]), ...guardedInput(path)]
  // Reads only keyframe data.
  const refreshes = withRefreshes ? ['-discard:v', 'nokey', ...guardedInput(path)] : []
  const filtered = withRefreshes ? ['-map', `1:${videoStream}`, '-bsf:v:1', 'filter_units=pass_types=5'] : []
  const one = fromSec === undefined ? [] : ['-frames:v', '1']
  const heard = sounds.flatMap((stream) => ['-map', `0:${stream}`])
  // Lines are written together, not one by one.
  const listed = ['-flush_packets', '0', '-f', 'framecrc', '-']
  const list = ['-map', `0:${videoStream}`, ...filtered, ...heard, '-c', 'copy', '-copyinkf', ...one, ...listed]
  const clock = isDiscontinuous ? clockOptions({ closesJumps }) : ['-copyts', '-start_at_zero']
  return ffmpeg([...before, ...clock, ...input, ...refreshes, ...list, ...output], {
    signal,
    onLine,
    only: { reads: [path], writes: [] },
  })
}

const THINNED_SEC = 0.5
const FLAGS = ', F=0x'
/** ffmpeg's flags of a packet. */
const KEY = 1
/** An edit list leaves the packet out: it is decoded only for later frames, or not at all. */
const LEFT_OUT = 4

/** Returns a packet's flags. ffmpeg lists them only for packets that are not plain keyframes. */
function flagsIn(line: string): number {
  const at = line.indexOf(FLAGS)
  return at < 0 ? KEY : Number.parseInt(line.slice(at + FLAGS.length), 16)
}

/** Returns whether a line describes a packet that is neither shown nor heard. */
export const isLeftOut = (line: string): boolean => (flagsIn(line) & LEFT_OUT) !== 0

/** The value of AV_NOPTS_VALUE is far below any time. */
const isTime = (ticks: number) => ticks > -1e15

/**
 * Reads one stream's lines in ffmpeg's `framecrc` format: `stream, dts, pts, duration, size, checksum[, F=flags]`, after `#tb 0: 1/90000`.
 */
function lineReader() {
  let tick = Number.NaN
  return (line: string) => {
    if (line.startsWith('#')) {
      const [, above, below] = /^#tb \d+: (\d+)\/(\d+)/.exec(line) ?? []
      if (above) tick = Number(above) / Number(below)
      return undefined
    }
    const [, dts = Number.NaN, pts = Number.NaN, duration = 0, bytes = 0] = line.split(',', 5).map(Number)
    return { tick, dts, pts, duration, bytes }
  }
}

/** Called with when each packet is shown, and how long, in seconds. */
export type OnTime = (sec: number, durationSec: number) => void

/** Reads an audio stream's lines. */
export function soundReader(onTime: OnTime): (line: string) => void {
  const read = lineReader()
  return (line) => {
    const { tick, dts, pts, duration } = read(line) ?? { tick: Number.NaN, dts: 0, pts: 0, duration: 0 }
    const shown = isTime(pts) ? pts : dts
    if (isTime(shown) && tick > 0 && !isLeftOut(line)) onTime(shown * tick, duration * tick)
  }
}

/** Collects the video packets. */
export function packetReader(frameRate?: number, onTime?: OnTime) {
  const read = lineReader()
  const groups = groupCollector(frameRate)
  const keyFrames: KeyFrame[] = []
  let tick = Number.NaN
  let packets = 0
  let endSec = 0
  let regular = true
  let lastDts = Number.NEGATIVE_INFINITY
  let lastKeySec = Number.NEGATIVE_INFINITY
  /** Whether the last keyframe in the list has no successor yet. */
  let open = false
  const onKeyFrame = (sec: number, dtsSec: number) => {
    if (sec <= lastKeySec) regular = false
    lastKeySec = sec
    const before = keyFrames.at(-1)
    if (before && open) before.nextSec = Math.min(sec, dtsSec)
    open = !before || sec - before.sec >= THINNED_SEC
    if (open) keyFrames.push({ sec, nextSec: Number.POSITIVE_INFINITY })
  }
  return {
    /** Returns the times of the packet that a line describes. */
    onLine(line: string): KeyTimes | undefined {
      const packet = read(line)
      if (!packet) return undefined
      const { dts, pts, duration, bytes } = packet
      tick = packet.tick
      if (!(isTime(dts) && isTime(pts)) || dts < lastDts) regular = false
      const shown = isTime(pts) ? pts : dts
      const isKey = (flagsIn(line) & KEY) !== 0
      const isShown = !isLeftOut(line)
      if (isTime(shown) && tick > 0 && isShown) onTime?.(shown * tick, duration * tick)
      lastDts = dts
      if (packets === 0 && !isKey) regular = false
      packets++
      if (isShown) endSec = Math.max(endSec, (pts + duration) * tick || 0)
      const times = { sec: pts * tick, dtsSec: dts * tick }
      groups.add({ ...times, isKey, isShown, bytes })
      if (isKey) onKeyFrame(times.sec, times.dtsSec)
      return times
    },
    finish(): KeyFrameMap {
      const found = groups.finish()
      return { keyFrames, packets, endSec, seekable: regular && packets > 0 && Number.isFinite(tick), ...(found && { groups: found }) }
    },
  }
}
