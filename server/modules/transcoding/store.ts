import { storage } from '../../platform/storage/storage.ts'
import { pictureKey, picturePrefix, segmentKey, segmentPrefix } from '../videos/media-keys.ts'
import { SEGMENT_SEC } from './arguments.ts'

/** A rung as it is stored and played: a row of `rendition` but for its video. */
export interface StoredRung {
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

/** Peak and average bit rate (RFC 8216 §4.3.4.2). A last sliver of a segment says nothing about the peak. */
export function measureRates(segments: readonly { durationSec: number; bytes: number }[]): { bandwidth: number; averageBandwidth: number } {
  const rate = (bytes: number, seconds: number) => Math.ceil((bytes * 8) / Math.max(seconds, 0.04))
  const total = segments.reduce((sum, one) => ({ bytes: sum.bytes + one.bytes, sec: sum.sec + one.durationSec }), { bytes: 0, sec: 0 })
  const averageBandwidth = rate(total.bytes, total.sec)
  const telling = segments.filter((one) => one.durationSec >= SEGMENT_SEC / 2)
  return { averageBandwidth, bandwidth: Math.max(averageBandwidth, ...telling.map((one) => rate(one.bytes, one.durationSec))) }
}

/** Removes what interrupted tries stored and neither a rung nor the video names. */
export async function removeUnnamed(videoId: string, rungs: readonly StoredRung[], pictures: readonly string[]): Promise<void> {
  const named = new Set(rungs.flatMap((rung) => rung.segments.map(([name]) => segmentKey(videoId, name))))
  for (const name of pictures) named.add(pictureKey(videoId, name))
  for (const prefix of [segmentPrefix(videoId), picturePrefix(videoId)])
    for await (const key of storage().list(prefix)) if (!named.has(key)) await storage().delete(key)
}
