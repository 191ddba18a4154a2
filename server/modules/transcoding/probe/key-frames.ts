import { ffprobePackets, ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { listPackets, type PacketSource, packetReader, soundReader } from './list-packets.ts'
import type { KeyFrame, KeyFrameMap, KeyTimes } from './packet-groups.ts'
import { type StreamTimes, shifted, timesCollector } from './stream-times.ts'

interface Wanted {
  videoStream: number
  /** Audio tracks whose times are read as well. Defaults to none. */
  sounds?: readonly number[]
  /** As ffprobe names it. */
  codec: string | undefined
  /** Constant rate to compare the packets with, to plan their copy. */
  frameRate?: number
  /** The video's average rate, which tells how far apart frames can be. Defaults to 25. */
  averageRate?: number
  isDiscontinuous?: boolean
}

/** The packets of a source. */
export interface SourcePackets {
  /** `seekable` says what the packets tell. Whether a seek works is not tried. */
  keyFrames: KeyFrameMap
  picture: StreamTimes
  /** In the order of `sounds`. */
  sounds: StreamTimes[]
  /** Whether ffmpeg read the file to its end. */
  isRead: boolean
  /** Whether these are the times that ffmpeg gives them when it closes clock jumps. */
  closesJumps?: true
  warnings: string
}

/** ffmpeg's warnings about times in the wrong order, some of which it changes. */
const OUT_OF_ORDER = /monoton|Invalid DTS/i
const UNUSUAL = /monoton|timestamps? (are|is) (unset|not set)|Invalid timestamps/i

/**
 * Reads the times of every video and audio packet without decoding. ffmpeg reads them with the options of encoding, so that its own demuxer
 * and clock decide. A source that cannot be read to its end is not seekable; encoding it in one piece finds the reason.
 */
export async function readPackets(path: string, wanted: Wanted, signal: AbortSignal): Promise<SourcePackets> {
  const { videoStream, sounds = [], codec, frameRate, isDiscontinuous = false } = wanted
  const source = { path, videoStream, isDiscontinuous, signal }
  // A stream that the filter refuses is no reason to refuse the source.
  const withRefreshes = codec === 'h264' && frameRate !== undefined
  const first = await listAll(source, wanted, withRefreshes)
  let read = first.warnings === undefined && withRefreshes ? await listAll(source, wanted, false) : first
  const closed = isDiscontinuous && pausesTogether(read.times) ? await listAll({ ...source, closesJumps: true }, wanted, false) : undefined
  const closesJumps = closed?.times.every(({ runs }) => runs.length <= 1)
  if (closed && closesJumps) read = closed
  const { warnings = '' } = read
  const isRead = read.warnings !== undefined
  const keyFrames = { ...read.keyFrames, seekable: isRead && read.keyFrames.seekable && !UNUSUAL.test(warnings) }
  const stated =
    !isDiscontinuous && OUT_OF_ORDER.test(warnings) ? await readable(statedTimes(source, wanted, read.firstSec), signal) : undefined
  return {
    keyFrames,
    picture: read.times[0] as StreamTimes,
    sounds: read.times.slice(1, sounds.length + 1),
    ...stated,
    isRead,
    warnings,
    ...(closesJumps && { closesJumps }),
  }
}

/** Returns whether video and all audio have pauses. */
function pausesTogether([picture, ...sounds]: readonly StreamTimes[]): boolean {
  const heard = sounds.filter(({ packets }) => packets > 0)
  return heard.length > 0 && [picture, ...heard].every((one) => (one?.runs.length ?? 0) > 1)
}

const JUMP_SEC = 1
/** Maximum number of frames between two packets that follow each other in the file: some are shown in another order. */
const JUMP_FRAMES = 20

/** Returns collectors of the video and audio times. */
const collectors = ({ sounds = [], averageRate = 25 }: Wanted) => [
  timesCollector(Math.max(JUMP_SEC, JUMP_FRAMES / averageRate)),
  ...sounds.map(() => timesCollector(JUMP_SEC)),
]

interface Listed {
  keyFrames: KeyFrameMap
  times: StreamTimes[]
  /** Time of the first packet of the picture that is shown. */
  firstSec: number
  /** Undefined when ffmpeg could not read the source. */
  warnings: string | undefined
}

/** Lists all packets, and refreshes, in one process: short files take less time than starting a program. */
async function listAll(source: PacketSource, wanted: Wanted, withRefreshes: boolean): Promise<Listed> {
  const { sounds = [], frameRate } = wanted
  const all = collectors(wanted)
  let firstSec = Number.NaN
  const picture = packetReader(frameRate, (sec, durationSec) => {
    if (Number.isNaN(firstSec)) firstSec = sec
    all[0]?.add(sec, durationSec)
  })
  const refreshes = packetReader()
  const idrTimes: KeyTimes[] = []
  const onRefresh = (line: string) => {
    const times = refreshes.onLine(line)
    if (times) idrTimes.push(times)
  }
  const heard = sounds.map((_, at) => soundReader((sec, durationSec) => all[at + 1]?.add(sec, durationSec)))
  const readers = [picture.onLine, ...(withRefreshes ? [onRefresh] : []), ...heard]
  const numberOf = (line: string) => (line.startsWith('#') ? /^#tb (\d+):/.exec(line)?.[1] : line.slice(0, line.indexOf(',')))
  const onLine = (line: string) => readers[Number(numberOf(line))]?.(line)
  const warnings = await readable(listPackets(source, { onLine, withRefreshes, sounds }), source.signal)
  return {
    keyFrames: { ...picture.finish(), ...(withRefreshes && { idrTimes }) },
    times: all.map((one) => one.finish()),
    firstSec,
    warnings,
  }
}

/** The flag of a packet that an edit list leaves out, in ffprobe's list. */
const LEFT_OUT = /,[K_]D/

/** Reads the times that the file states. The first shown video packet has the time that ffmpeg counts. */
async function statedTimes(
  { path, signal }: PacketSource,
  wanted: Wanted,
  firstSec: number,
): Promise<Pick<SourcePackets, 'picture' | 'sounds'>> {
  const { videoStream, sounds = [] } = wanted
  const streams = [videoStream, ...sounds]
  const all = collectors(wanted)
  let statedFirstSec = Number.NaN
  const onLine = (line: string) => {
    const [stream = -1, sec = Number.NaN, durationSec = 0] = line.split(',').map(Number)
    if (!Number.isFinite(sec) || LEFT_OUT.test(line)) return
    if (stream === videoStream && Number.isNaN(statedFirstSec)) statedFirstSec = sec
    all[streams.indexOf(stream)]?.add(sec, durationSec)
  }
  await ffprobePackets(path, { signal, onLine })
  const [picture, ...others] = all.map((one) => shifted(one.finish(), firstSec - statedFirstSec))
  return { picture: picture as StreamTimes, sounds: others }
}

/** Reads a source's keyframes and tries to seek to them. */
export async function readKeyFrames(path: string, wanted: Wanted, signal: AbortSignal): Promise<KeyFrameMap> {
  return trySeeking(path, wanted, { ...(await readPackets(path, wanted, signal)), signal })
}

/** Returns a map of keyframes that is seekable only if a seek works as well. */
export async function trySeeking(
  path: string,
  { videoStream, codec }: Pick<Wanted, 'videoStream' | 'codec'>,
  { keyFrames: map, signal }: { keyFrames: KeyFrameMap; signal: AbortSignal },
): Promise<KeyFrameMap> {
  if (!map.seekable || map.keyFrames.length < 2) return { ...map, seekable: false }
  const source = { path, videoStream, signal }
  const canSeek = (traced: boolean) => readable(seeksRight(source, map.keyFrames, traced), signal)
  // The trace fails for information that it does not know.
  return { ...map, seekable: (codec === 'h264' ? await canSeek(true) : undefined) ?? (await canSeek(false)) ?? false }
}

/** Returns undefined when ffmpeg cannot read a source. */
const readable = <Found>(read: Promise<Found>, signal: AbortSignal): Promise<Found | undefined> =>
  read.catch((error: unknown) => {
    if (signal.aborted || !(error instanceof ProgramFailed) || error.outOfMemory) throw error
    return undefined
  })

/** Seeks to this time start at the keyframe, or before it if the container's index is coarse. */
export function seekTimeOf({ sec, nextSec }: KeyFrame): number {
  // Some demuxers look 0.13 s earlier for sources with B-frames, others compare decode times.
  const after = Math.min(0.5, (nextSec - sec) / 2)
  return Math.max(0, after > 0 ? sec + after : nextSec - 0.01)
}

/**
 * Returns whether a seek to the last keyframe starts there or at most two groups of pictures earlier, and never later, and, if `traced`,
 * whether decoding from there shows whole frames at once.
 */
async function seeksRight(source: PacketSource, keyFrames: readonly KeyFrame[], traced: boolean): Promise<boolean> {
  const last = keyFrames.at(-1) as KeyFrame
  const gaps = keyFrames.map(({ sec }, at) => sec - (keyFrames[at - 1]?.sec ?? sec))
  const reader = packetReader()
  const trace = await listPackets(source, {
    onLine: reader.onLine,
    fromSec: seekTimeOf(last),
    ...(traced && { before: REFRESH_TRACE.before, output: ['-map', `0:${source.videoStream}`, ...REFRESH_TRACE.output] }),
  })
  const landed = reader.finish().keyFrames[0]?.sec ?? Number.NaN
  const longest = gaps.reduce((most, gap) => Math.max(most, gap), 0)
  return landed <= last.sec + 0.001 && landed >= last.sec - 2 * longest - 1 && !tracesGradualRefresh(trace)
}

/** H.264 NAL units with parameters and supplemental information (types 6 to 8). */
const INFORMATION = 'filter_units=pass_types=6-8,trace_headers'

/** Options of ffmpeg, and of an H.264 output, that print its first packet's information. */
const REFRESH_TRACE = {
  before: ['-v', 'info', '-nostats'],
  output: ['-c', 'copy', '-copyinkf', '-bsf:v', INFORMATION, '-frames:v', '1', '-f', 'null', '-'],
} as const

/**
 * Returns whether decoding that starts at this packet first shows damaged frames: with gradual refresh, containers mark recovery points as
 * keyframes, which become whole over the following frames (H.264 §D.2.8).
 */
const tracesGradualRefresh = (trace: string): boolean => /recovery_frame_cnt\s+[01]+ = [1-9]/.test(trace)
