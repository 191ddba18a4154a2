import { join } from 'node:path'

/** Seconds between key frames and per segment, equal in every rendition: a player may switch renditions at each. */
export const KEY_FRAME_SEC = 2
export const SEGMENT_SEC = 4
/** Bound of a segment's length, also where segments begin with key frames of the source. */
export const LONGEST_SEGMENT_SEC = 7

/** Input format of the service's own segments, given explicitly: ffmpeg detects a wrong format for very small ones. */
export const OWN_FORMAT = ['-f', 'mpegts']
/** That of an initialization section with segments of fragmented MP4. */
export const FRAGMENTED_FORMAT = ['-f', 'mov']

/** File names of a chunk under `folder`: `<quality>/<number>.ts` (or `.m4s`), `<quality>.m3u8` and the master playlist. */
export const MASTER = 'master.m3u8'
export const playlistOf = (folder: string, quality: string) => join(folder, `${quality}.m3u8`)
export const segmentFile = (folder: string, quality: string, sequence: number, ending = '.ts') =>
  join(folder, quality, `${String(sequence).padStart(5, '0')}${ending}`)
/** The initialization section of a rendition in fragmented MP4, and ffmpeg's template of it, whose `%v` it leaves where there is only one. */
const initName = (quality: string) => `init-${quality}.mp4`
export const initFile = (folder: string, quality: string) => join(folder, initName(quality))
export const initTemplate = (qualities: readonly string[]) => initName(qualities.length === 1 ? (qualities[0] as string) : '%v')
/** The same as ffmpeg's template. */
export const segmentTemplate = (folder: string, quality: string) => join(folder, quality, '%05d.ts')
export const segmentFolder = (folder: string, quality: string) => join(folder, quality)
