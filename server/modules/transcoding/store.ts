import { storage } from '../../platform/storage/storage.ts'
import { pictureKey, picturePrefix, segmentKey, segmentPrefix } from '../videos/media-keys.ts'
import { SEGMENT_SEC } from './arguments.ts'

/** A rendition as it is stored and played: a row of `rendition` without the video's id. */
export interface StoredRendition {
  quality: string
  width: number
  height: number
  bandwidth: number
  averageBandwidth: number
  codecs: string
  frameRate: number
  bytes: number
  segments: [name: string, durationSec: number][]
}

/** Returns peak and average bit rate (RFC 8216 §4.3.4.2). A short last segment does not represent the peak. */
export function measureRates(segments: readonly { durationSec: number; bytes: number }[]): { bandwidth: number; averageBandwidth: number } {
  const rate = (bytes: number, seconds: number) => Math.ceil((bytes * 8) / Math.max(seconds, 0.04))
  const total = segments.reduce((sum, one) => ({ bytes: sum.bytes + one.bytes, sec: sum.sec + one.durationSec }), { bytes: 0, sec: 0 })
  const averageBandwidth = rate(total.bytes, total.sec)
  const representative = segments.filter((one) => one.durationSec >= SEGMENT_SEC / 2)
  return { averageBandwidth, bandwidth: Math.max(averageBandwidth, ...representative.map((one) => rate(one.bytes, one.durationSec))) }
}

/** Removes objects of interrupted attempts that neither a rendition nor the video refers to. */
export async function removeUnnamed(videoId: string, renditions: readonly StoredRendition[], pictures: readonly string[]): Promise<void> {
  const named = new Set(renditions.flatMap((rendition) => rendition.segments.map(([name]) => segmentKey(videoId, name))))
  for (const name of pictures) named.add(pictureKey(videoId, name))
  for (const prefix of [segmentPrefix(videoId), picturePrefix(videoId)])
    for await (const key of storage().list(prefix)) if (!named.has(key)) await storage().delete(key)
}
