import type { Quality } from '../quality/vmaf.ts'

/** Why something was not measured, as receipts state it. */
export const NOT_MEASURED = {
  scorer: 'This service has no ffmpeg with libvmaf.',
  interlaced: 'The source is interlaced.',
  hdr: 'The source is HDR.',
  rgb: 'The source is RGB.',
  short: 'The video is shorter than 4 seconds.',
  damaged: 'A part of the source could not be decoded.',
  failed: 'The pictures could not be compared.',
} as const
export type NotMeasured = (typeof NOT_MEASURED)[keyof typeof NOT_MEASURED]

/** What is stated of one rendition of a chunk. */
export interface MeasuredRendition {
  /** SHA-256, hexadecimal, and bytes of each stored segment, in order. */
  segments: [sha256: string, bytes: number][]
  /** What x264 states about itself and its settings in the picture; null for other encoders. */
  embedded: string | null
  quality: Quality | null
  /** Score of each picture that was compared, in order. */
  scores: number[]
  notMeasured: NotMeasured | null
}

/** Result of a chunk: a row of `quality_chunk`. */
export interface MeasuredChunk {
  renditions: Record<string, MeasuredRendition>
  /** Version of libvmaf; null where nothing was compared. */
  libvmaf: string | null
}
