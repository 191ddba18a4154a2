import { ProgramFailed } from '../../platform/ffmpeg.ts'
import { REFRESH_TRACE, tracesGradualRefresh } from './gradual-refresh.ts'
import { listPackets, type PacketSource, packetReader } from './list-packets.ts'
import type { KeyFrame, KeyFrameMap, KeyTimes } from './packet-groups.ts'

const READ_MS = 15 * 60_000

interface Wanted {
  videoStream: number
  /** As ffprobe names it. */
  codec: string | undefined
  /** Constant rate that the packets are compared with, to plan their copy. */
  frameRate?: number
}

/**
 * Reads the times of every packet of a stream without decoding. ffmpeg reads them with the options of encoding, so that its own demuxer and
 * clock decide. A source that cannot be read to its end is not seekable; encoding it in one piece finds the reason.
 */
export async function readKeyFrames(path: string, wanted: Wanted, signal: AbortSignal): Promise<KeyFrameMap> {
  const source = { path, videoStream: wanted.videoStream, signal: AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]) }
  /** Returns undefined when ffmpeg cannot read it. */
  const readable = <Found>(read: Promise<Found>): Promise<Found | undefined> =>
    read.catch((error: unknown) => {
      if (signal.aborted || !isUnreadable(error)) throw error
      return undefined
    })
  const { codec, frameRate } = wanted
  const isH264 = codec === 'h264'
  // A stream that the filter refuses is no reason to refuse the source.
  const withRefreshes = isH264 && frameRate !== undefined ? await readable(readRefreshes(source, frameRate)) : undefined
  const reader = packetReader(frameRate)
  const warnings = withRefreshes?.warnings ?? (await readable(listPackets(source, { onLine: reader.onLine })))
  const map = withRefreshes?.map ?? reader.finish()
  const isRegular =
    warnings !== undefined && map.seekable && !/monoton|timestamps? (are|is) (unset|not set)|Invalid timestamps/i.test(warnings)
  if (!isRegular || map.keyFrames.length < 2) return { ...map, seekable: false }
  const canSeek = (traced: boolean) => readable(seeksRight(source, map.keyFrames, traced))
  // The trace fails for information that it does not know.
  return { ...map, seekable: (isH264 ? await canSeek(true) : undefined) ?? (await canSeek(false)) ?? false }
}

/** Lists all packets of H.264 and its refreshes in one process: short files take less time than the start of a program. */
async function readRefreshes(source: PacketSource, frameRate: number): Promise<{ map: KeyFrameMap; warnings: string }> {
  const all = packetReader(frameRate)
  const refreshes = packetReader()
  const idrTimes: KeyTimes[] = []
  const onLine = (line: string) => {
    if (!/^(#tb )?1[,:]/.test(line)) return all.onLine(line)
    const times = refreshes.onLine(line)
    if (times) idrTimes.push(times)
    return times
  }
  const warnings = await listPackets(source, { onLine, withRefreshes: true })
  return { map: { ...all.finish(), idrTimes }, warnings }
}

const isUnreadable = (error: unknown) =>
  (error instanceof ProgramFailed && !error.outOfMemory) || (error instanceof DOMException && error.name === 'TimeoutError')

/** Seeks to this time begin at the key frame, or before it where the container's index is coarse. */
export function seekTimeOf({ sec, nextSec }: KeyFrame): number {
  // Some demuxers look 0.13 s earlier for sources with B-frames, others compare decode times.
  const after = Math.min(0.5, (nextSec - sec) / 2)
  return Math.max(0, after > 0 ? sec + after : nextSec - 0.01)
}

/**
 * Returns whether a seek to the last key frame begins there or at most two groups of pictures earlier, and never later, and whether, where it
 * is `traced`, decoding from there shows whole pictures at once.
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
