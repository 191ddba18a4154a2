import { targetDuration } from '../../transcoding/quality/measure-rates.ts'
import { segmentFileName } from '../../videos/media-keys.ts'

/** The segments of a media playlist. */
export interface SegmentList {
  /** Whole seconds that no segment exceeds. */
  targetDuration: number
  /** Length of all segments together. */
  seconds: number
  /** The playlist's lines from the first segment to the last, the same for all viewers. */
  lines: string
  /** Content hash of the first segment. Undefined without segments. */
  first: string | undefined
}

/** Content hash, and duration in seconds. */
export type NamedSegment = readonly [name: string, seconds: number, ...rest: unknown[]]

/** Returns the segments' lines under the URL `base`. `leastTarget`: a bound stated before all durations were known. */
export function segmentList(segments: readonly NamedSegment[], base: string, leastTarget = 1): SegmentList {
  const durations = segments.map(([, seconds]) => seconds)
  return {
    targetDuration: Math.max(leastTarget, targetDuration(durations)),
    seconds: durations.reduce((sum, one) => sum + one, 0),
    lines: segments.map(([name, seconds]) => `#EXTINF:${seconds.toFixed(6)},\n${base}${segmentFileName(name)}\n`).join(''),
    first: segments[0]?.[0],
  }
}

/** An audio encoder ends a segment with a whole frame of samples, which is shorter than this. */
const SOUND_FRAME_SEC = 0.05

/**
 * Returns a target duration in whole seconds that every segment of a video will keep: each is cut at the first frame after the intended
 * length. It must not change while players reload a playlist (RFC 8216 §6.2.1).
 */
export const lastingTarget = (segmentSec: number, frameRate: number): number =>
  Math.ceil(segmentSec + Math.max(1 / frameRate, SOUND_FRAME_SEC) - 1e-6)
