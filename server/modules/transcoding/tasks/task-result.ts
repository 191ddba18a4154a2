import type { CaptionChannel } from '../probe/closed-captions.ts'

/** A part of the video's time, in seconds. */
export interface Span {
  fromSec: number
  toSec: number
}

/** A stored segment: content name, duration in seconds, size in bytes. Its place in the list is its order. */
export type StoredSegment = [name: string, durationSec: number, bytes: number]

/** Result of a `video` task: one chunk of the picture, in every rendition of the plan. */
export interface ChunkResult {
  /** Number of encoded frames, equal in every rendition. */
  frames: number
  /** By quality. `init`: the initialization section of fragmented MP4, in base64. */
  renditions: Record<string, { codecs: string; segments: StoredSegment[]; init?: string }>
  /** Spans of the video without a decodable frame; absent when there are none. */
  damage?: Span[]
  /** Channels of captions in its picture; absent without any. */
  closedCaptions?: CaptionChannel[]
  /** Absent where nothing was encoded. */
  encoder?: string
}

/** Result of a `copy` or an `audio` task, so far or whole. */
export interface StreamResult {
  /** RFC 6381; empty until the first segment is stored. */
  codecs: string
  segments: StoredSegment[]
  /** Spans of the video without decodable sound; absent when there are none. */
  damage?: Span[]
}
