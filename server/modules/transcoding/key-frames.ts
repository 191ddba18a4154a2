import { ffmpeg, guardedInput, ProgramFailed } from '../../platform/ffmpeg.ts'
import { isRefreshedGradually } from './gradual-refresh.ts'
import { groupCollector, type KeyTimes, type PacketGroup } from './packet-groups.ts'

/** A frame at which decoding can begin. Times in seconds from the source's start, as `-ss` counts them. */
export interface KeyFrame {
  sec: number
  /** A seek to an earlier time than this never begins after the key frame: decode time of the next one, Infinity for the last. */
  nextSec: number
}

/** Where the picture of a source can be sought. */
export interface KeyFrameMap {
  /** In order, thinned to one in half a second: the list of a day of single-frame groups stays short. */
  keyFrames: KeyFrame[]
  packets: number
  /** End of the last frame. */
  endSec: number
  /** Whether a seek finds the right frame: every packet has its times, in order, and a seek lands near the key frame it looks for. */
  seekable: boolean
  /** All packets, where a rate was asked for and the frames follow it. */
  groups?: PacketGroup[]
}

const THINNED_SEC = 0.5
const READ_MS = 15 * 60_000

/**
 * Reads the times of every packet of a stream without decoding. ffmpeg reads them with the options of encoding, so that its own demuxer and
 * clock decide. A source that cannot be read to its end is not seekable; encoding it in one piece finds the reason. `frameRate`: the constant
 * rate that the packets are compared with.
 */
export async function readKeyFrames(path: string, videoStream: number, signal: AbortSignal, frameRate?: number): Promise<KeyFrameMap> {
  const reader = packetReader(frameRate)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READ_MS)])
  try {
    const warnings = await listPackets({ path, videoStream, onLine: reader.onLine, signal: limit })
    const map = reader.finish()
    const regular = map.seekable && !/monoton|timestamps? (are|is) (unset|not set)|Invalid timestamps/i.test(warnings)
    if (!regular || map.keyFrames.length < 2) return { ...map, seekable: false }
    const seekSec = seekTimeOf(map.keyFrames.at(-1) as KeyFrame)
    // At the same time: both mostly start a program, while a viewer waits.
    const [isNear, isGradual] = await Promise.all([
      landsNear(path, videoStream, map.keyFrames, limit),
      isRefreshedGradually(path, { videoStream, seekSec, signal: limit }),
    ])
    return { ...map, seekable: isNear && !isGradual }
  } catch (error) {
    if (signal.aborted || !isUnreadable(error)) throw error
    return { ...reader.finish(), seekable: false }
  }
}

/**
 * Returns the times of the H.264 key frames at which decoding can begin whatever precedes them: instantaneous refreshes (IDR, NAL
 * units of type 5). Containers mark recovery points and key frames of open groups as well. Reads the data of key
 * frames alone. Where packets are passed over, MP4 states wrong times of showing, and Matroska of decoding (`timeOf`).
 */
export async function readIdrTimes(path: string, videoStream: number, signal: AbortSignal): Promise<KeyTimes[]> {
  const reader = packetReader()
  const times: KeyTimes[] = []
  const limit = AbortSignal.any([signal, AbortSignal.timeout(READ_MS)])
  const onLine = (line: string) => {
    const key = reader.onLine(line)
    if (key) times.push(key)
  }
  const options = { before: ['-discard:v', 'nokey'], after: ['-bsf:v', 'filter_units=pass_types=5'] }
  try {
    await listPackets({ path, videoStream, onLine, signal: limit, ...options })
    return times
  } catch (error) {
    // The filter refuses damaged packets, which are no reason to refuse the source.
    if (signal.aborted || !isUnreadable(error)) throw error
    return []
  }
}

const isUnreadable = (error: unknown) =>
  (error instanceof ProgramFailed && !error.outOfMemory) || (error instanceof DOMException && error.name === 'TimeoutError')

/** Seeks to this time begin at the key frame, or before it where the container's index is coarse. */
export function seekTimeOf({ sec, nextSec }: KeyFrame): number {
  // Some demuxers look 0.13 s earlier for sources with B-frames, others compare decode times.
  const after = Math.min(0.5, (nextSec - sec) / 2)
  return Math.max(0, after > 0 ? sec + after : nextSec - 0.01)
}

interface Listing {
  path: string
  videoStream: number
  onLine: (line: string) => unknown
  signal: AbortSignal
  /** Lists only the packet that a seek to this time begins with. */
  fromSec?: number
  /** Further options of the input, and of the output. */
  before?: string[]
  after?: string[]
}

function listPackets({ path, videoStream, onLine, signal, fromSec, before = [], after = [] }: Listing): Promise<string> {
  const from = fromSec === undefined ? [] : ['-noaccurate_seek', '-ss', fromSec.toFixed(6)]
  const one = fromSec === undefined ? [] : ['-frames:v', '1']
  const copied = ['-map', `0:${videoStream}`, '-c', 'copy', '-copyinkf', ...after, ...one, '-f', 'framecrc', '-']
  return ffmpeg(['-copyts', '-start_at_zero', ...from, ...before, ...guardedInput(path), ...copied], {
    signal,
    onLine,
    only: { reads: [path], writes: [] },
  })
}

/** Returns whether a seek to the last key frame begins there or at most two groups of pictures earlier, and never later. */
async function landsNear(path: string, videoStream: number, keyFrames: readonly KeyFrame[], signal: AbortSignal): Promise<boolean> {
  const last = keyFrames.at(-1) as KeyFrame
  const gaps = keyFrames.map(({ sec }, at) => sec - (keyFrames[at - 1]?.sec ?? sec))
  const reader = packetReader()
  await listPackets({ path, videoStream, onLine: reader.onLine, signal, fromSec: seekTimeOf(last) })
  const landed = reader.finish().keyFrames[0]?.sec ?? Number.NaN
  const longest = gaps.reduce((most, gap) => Math.max(most, gap), 0)
  return landed <= last.sec + 0.001 && landed >= last.sec - 2 * longest - 1
}

const FLAGS = ', F=0x'

/** Collects lines of ffmpeg's `framecrc` format: `stream, dts, pts, duration, size, checksum[, F=flags]`, after `#tb 0: 1/90000`. */
function packetReader(frameRate?: number) {
  const groups = groupCollector(frameRate)
  const keyFrames: KeyFrame[] = []
  let tick = Number.NaN
  let packets = 0
  let endSec = 0
  let regular = true
  let lastDts = Number.NEGATIVE_INFINITY
  let lastKeySec = Number.NEGATIVE_INFINITY
  /** Whether the last key frame of the list has no successor yet. */
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
      if (line.startsWith('#')) {
        const [, above, below] = /^#tb \d+: (\d+)\/(\d+)/.exec(line) ?? []
        if (above) tick = Number(above) / Number(below)
        return undefined
      }
      const [, dts = Number.NaN, pts = Number.NaN, duration = 0, bytes = 0] = line.split(',', 5).map(Number)
      // The value of AV_NOPTS_VALUE is far below any time.
      if (!(dts > -1e15 && pts > -1e15) || dts < lastDts) regular = false
      lastDts = dts
      // Flags are listed only when they differ from those of a key frame.
      const flagsAt = line.indexOf(FLAGS)
      const isKey = flagsAt < 0 || (Number.parseInt(line.slice(flagsAt + FLAGS.length), 16) & 1) === 1
      if (packets === 0 && !isKey) regular = false
      packets++
      endSec = Math.max(endSec, (pts + duration) * tick || 0)
      const times = { sec: pts * tick, dtsSec: dts * tick }
      groups.add({ ...times, isKey, bytes })
      if (isKey) onKeyFrame(times.sec, times.dtsSec)
      return times
    },
    finish(): KeyFrameMap {
      const found = groups.finish()
      return { keyFrames, packets, endSec, seekable: regular && packets > 0 && Number.isFinite(tick), ...(found && { groups: found }) }
    },
  }
}
