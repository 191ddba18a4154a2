import type { CaptionChannel } from './closed-captions.ts'

/** A stored segment: content name, duration in seconds, size in bytes. Its place in the list is its order. */
export type StoredSegment = [name: string, durationSec: number, bytes: number]

/** Result of a `video` task: one chunk of the picture, in every rendition of the plan. */
export interface ChunkResult {
  /** Number of encoded frames, equal in every rendition. */
  frames: number
  renditions: Record<string, { codecs: string; segments: StoredSegment[] }>
  /** Channels of captions in its picture; absent without any. */
  closedCaptions?: CaptionChannel[]
}

/** Result of an `audio` task, so far or whole. */
export interface AudioResult {
  /** RFC 6381; empty until the first segment is stored. */
  codecs: string
  segments: StoredSegment[]
}
