import type { RenditionSpec } from '../plan/ladder.ts'

/** A plain segment on disk. */
export interface EncodedSegment {
  path: string
  durationSec: number
}

/** One rendition as ffmpeg wrote it, segments in order. */
export interface EncodedRendition {
  spec: RenditionSpec
  /** RFC 6381, e.g. `avc1.64001f`. */
  codecs: string
  segments: EncodedSegment[]
  /** The initialization section of fragmented MP4. */
  init?: Buffer
}

export interface EncodedChunk {
  /** Fewer than planned if the source ends early. */
  frames: number
  renditions: EncodedRendition[]
  /** Absent if nothing was encoded. */
  encoder?: string
  /** Whether ffmpeg reported packets that it could not read or decode. */
  damaged?: boolean
}

export interface EncodedAudio {
  codecs: string
  segments: EncodedSegment[]
  /** Whether ffmpeg reported packets that it could not read or decode. */
  damaged?: boolean
}
