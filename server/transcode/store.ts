import { readFile, rm } from 'node:fs/promises'
import { storage } from '../infra/storage/storage.ts'
import { pictureKey, picturePrefix } from '../video/extras.ts'
import { SEGMENT_SEC } from './arguments.ts'
import type { EncodedRung } from './encode.ts'
import { contentName, encryptSegment } from './encrypt.ts'
import { outputFault } from './output-fault.ts'
import { isWholeSegment } from './whole-segment.ts'

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

/** The media of a video stands under this prefix. */
export const segmentPrefix = (videoId: string) => `segments/${videoId}/`
export const segmentKey = (videoId: string, name: string) => `${segmentPrefix(videoId)}${name}.ts`

interface Input {
  videoId: string
  encoded: EncodedRung
  frameRate: number
  /** Undefined: segments are stored as they are. */
  contentKey: Uint8Array | undefined
  /** Gets the storage key of each segment before it is stored. */
  written: Set<string>
  signal: AbortSignal
}

/** Segments stored at the same time. */
const AT_ONCE = 4

/** Stores a rung's segments, encrypted if there is a key, and removes the plain ones. */
export async function storeRung({ videoId, encoded, frameRate, contentKey, written, signal }: Input): Promise<StoredRung> {
  const { rung, codecs, segments } = encoded
  const stored: { name: string; durationSec: number; bytes: number }[] = []
  let next = 0
  let failure: unknown
  const storeNext = async (): Promise<void> => {
    for (let sequence = next++; sequence < segments.length && !failure; sequence = next++) {
      const segment = segments[sequence]
      if (!segment) return
      try {
        signal.throwIfAborted()
        const plain = await readFile(segment.path)
        if (!isWholeSegment(plain)) throw await outputFault(segment.path, `segment ${sequence} of ${rung.quality} is not whole`)
        const { name, body } = storedForm(plain, contentKey, sequence)
        written.add(segmentKey(videoId, name))
        await storage().put(segmentKey(videoId, name), body)
        await rm(segment.path)
        stored[sequence] = { name, durationSec: segment.durationSec, bytes: body.byteLength }
      } catch (error) {
        failure ??= error
      }
    }
  }
  // All have ended before a failure is told: whoever cleans up then meets no latecomer.
  await Promise.all(Array.from({ length: AT_ONCE }, storeNext))
  if (failure) throw failure
  return {
    quality: rung.quality,
    width: rung.width,
    height: rung.height,
    frameRate,
    codecs,
    ...measureRates(stored),
    bytes: stored.reduce((sum, one) => sum + one.bytes, 0),
    segments: stored.map(({ name, durationSec }) => [name, durationSec]),
  }
}

/** A segment's bytes and their name. */
function storedForm(plain: Buffer, contentKey: Uint8Array | undefined, sequence: number): { name: string; body: Uint8Array } {
  return contentKey ? encryptSegment(plain, contentKey, sequence) : { name: contentName(plain), body: plain }
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
