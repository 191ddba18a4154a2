import { SEGMENT_SEC } from '../encode/segment-files.ts'

/** A constant frame rate as a fraction. */
export interface Rate {
  frames: number
  seconds: number
}

/** Reads a rate in ffmpeg's notation, e.g. `30000/1001`. */
export function parseRate(text: string): Rate {
  const [frames = Number.NaN, seconds = 1] = text.split('/').map(Number)
  if (!(Number.isSafeInteger(frames) && Number.isSafeInteger(seconds) && frames > 0 && seconds > 0))
    throw new Error(`${text} is no frame rate`)
  return { frames, seconds }
}

/**
 * Returns the number of the first frame of a segment: the first at or after `segment` × SEGMENT_SEC. Exact: products stay below 2^53 for
 * any video.
 */
export const firstFrameOf = (segment: number, { frames, seconds }: Rate): number => Math.ceil((segment * SEGMENT_SEC * frames) / seconds)

/** Returns the seconds from a segment's nominal start to its first frame: less than a frame, and 0 for whole rates. */
export const lateBySec = (segment: number, rate: Rate): number =>
  (firstFrameOf(segment, rate) * rate.seconds - segment * SEGMENT_SEC * rate.frames) / rate.frames

export const frameTime = (frame: number, { frames, seconds }: Rate): number => (frame * seconds) / frames
