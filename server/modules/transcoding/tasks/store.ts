import { db } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { FRAGMENT, pictureKey, picturePrefix, segmentKey, segmentPrefix } from '../../videos/media-keys.ts'
import type { FurtherCodec } from '../plan/encoders.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import type { CaptionChannel } from '../probe/closed-captions.ts'
import { measureRates } from '../quality/measure-rates.ts'

/** A segment list with its rates, as rows of `rendition`, `audio_rendition` and `iframe_rendition` hold it. */
interface StoredList {
  bandwidth: number
  averageBandwidth: number
  codecs: string
  bytes: number
  segments: [name: string, durationSec: number][]
}

/** A rendition as stored and played: a row of `rendition` without its media's ID and codec. */
export interface StoredRendition extends StoredList {
  quality: string
  width: number
  height: number
  frameRate: number
  /** The initialization section of fragmented MP4. Absent for MPEG-TS. */
  init?: Buffer<ArrayBuffer>
}

/** An audio track: a row of `audio_rendition` without its media's ID. */
export interface StoredAudio extends StoredList {
  position: number
  language: string | null
  name: string
  isDefault: boolean
  channels: number
}

/** A rendition's keyframes: a row of `iframe_rendition` without its media's ID. */
export interface StoredIframes extends StoredList {
  quality: string
  width: number
  height: number
}

/** Joins each rendition's chunks. One that stays as copied is `copied`. `chunks` are in order. */
export function joinRenditions(
  { renditions, facts, copy }: TranscodePlan,
  chunks: readonly ChunkResult[],
  copied: StreamResult | undefined,
): StoredRendition[] {
  return renditions.map(({ quality, width, height }, at) => {
    const parts = copied && copy?.kept && at === 0 ? [copied] : chunks.flatMap((chunk) => chunk.renditions[quality] ?? [])
    const codecs = parts.find((part) => part.segments.length > 0)?.codecs ?? ''
    const list = storedList(
      codecs,
      parts.flatMap(({ segments }) => segments),
    )
    return { quality, width, height, frameRate: facts.frameRate.value, ...list, ...initOf(chunks, quality) }
  })
}

/** Returns a rendition's initialization section, which one playlist states for all its chunks. Throws if encoders differ. */
function initOf(chunks: readonly ChunkResult[], quality: string): { init?: Buffer<ArrayBuffer> } {
  const [init, other] = new Set(chunks.flatMap((chunk) => chunk.renditions[quality]?.init ?? []))
  if (other !== undefined) throw new Error(`the chunks of ${quality} were encoded by different versions of the encoder`)
  return init === undefined ? {} : { init: Buffer.from(init, 'base64') }
}

/** Returns the tracks that have any audio. `results` are in the order of the plan's tracks. */
export function joinAudio({ facts }: TranscodePlan, results: readonly StreamResult[]): StoredAudio[] {
  return results.flatMap(({ codecs, segments }, position) => {
    const track = facts.audio[position]
    if (!track || segments.length === 0) return []
    const { language, name, isDefault } = track
    return [{ position, language, name, isDefault, channels: 2, ...storedList(codecs, segments) }]
  })
}

/** Returns the columns of a segment list. */
export const storedList = (codecs: string, segments: readonly StoredSegment[]): StoredList => ({
  ...measureRates(segments.map(([, durationSec, bytes]) => ({ durationSec, bytes }))),
  codecs,
  bytes: segments.reduce((sum, [, , bytes]) => sum + bytes, 0),
  segments: segments.map(([name, durationSec]) => [name, durationSec]),
})

/**
 * Removes objects of a media's encodings that neither its rows nor its pictures refer to, such as those of interrupted attempts; with
 * `codec`, only those of additional renditions. Segments in `held` stay for viewers who hold their playlist, until they are collected as
 * orphans.
 */
export async function removeUnnamed(
  { mediaId, codec }: { mediaId: string; codec: FurtherCodec | null },
  held: readonly string[] = [],
): Promise<void> {
  const [media] = await db().$queryRaw<{ names: string[]; pictures: string[] }[]>`
    SELECT ARRAY(SELECT segment ->> 0 FROM segment_list l, jsonb_array_elements(l.segments) AS segment WHERE l.media_id = m.id) AS names,
      poster_candidates || COALESCE(ARRAY(SELECT jsonb_array_elements_text(storyboard -> 'sheets')), '{}') AS pictures
    FROM media m WHERE id = ${mediaId}`
  const named = new Set([...(media?.names ?? []), ...held].map((name) => segmentKey(mediaId, name)))
  for (const name of media?.pictures ?? []) named.add(pictureKey(mediaId, name))
  const isOwn = (key: string) => codec === null || key.endsWith(FRAGMENT)
  for (const prefix of [segmentPrefix(mediaId), picturePrefix(mediaId)])
    for await (const key of storage().list(prefix)) if (!named.has(key) && isOwn(key)) await storage().delete(key)
}

/** A part of the video, in seconds. */
export interface Span {
  fromSec: number
  toSec: number
}

/** A stored segment: content name, duration in seconds, size in bytes. Its place in the list is its order. */
export type StoredSegment = [name: string, durationSec: number, bytes: number]

/** Result of a `video` task: one chunk in every rendition of the plan. */
export interface ChunkResult {
  /** Number of encoded frames, the same in every rendition. */
  frames: number
  /** By quality. `init`: the initialization section of fragmented MP4, in base64. */
  renditions: Record<string, { codecs: string; segments: StoredSegment[]; init?: string }>
  /** Spans of the video without a decodable frame. Absent if there are none. */
  damage?: Span[]
  /** Caption channels in its frames. Absent if there are none. */
  closedCaptions?: CaptionChannel[]
  /** Absent if nothing was encoded. */
  encoder?: string
}

/** Result of a `copy` or an `audio` task, so far or complete. */
export interface StreamResult {
  /** RFC 6381. Empty until the first segment is stored. */
  codecs: string
  segments: StoredSegment[]
  /** Spans of the video without decodable audio. Absent if there are none. */
  damage?: Span[]
}
