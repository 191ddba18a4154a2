import { join } from 'node:path'

/** Seconds between keyframes and per segment, the same in every rendition: a player can switch renditions at each. */
export const KEY_FRAME_SEC = 2
export const SEGMENT_SEC = 4
/** Maximum length of a segment, also where segments start with the source's keyframes. */
export const LONGEST_SEGMENT_SEC = 7

/** Input format of the service's own segments, given explicitly: ffmpeg detects a wrong format for very small ones. */
export const OWN_FORMAT = ['-f', 'mpegts']
/** Input format of an initialization section with fragmented MP4 segments. */
export const FRAGMENTED_FORMAT = ['-f', 'mov']

/** File names of a chunk under `folder`: `<quality>/<number>.ts` (or `.m4s`), `<quality>.m3u8` and the master playlist. */
export const MASTER = 'master.m3u8'
export const playlistOf = (folder: string, quality: string) => join(/* turbopackIgnore: true */ folder, `${quality}.m3u8`)
export const segmentFile = (folder: string, quality: string, sequence: number, ending = '.ts') =>
  join(/* turbopackIgnore: true */ folder, quality, `${String(sequence).padStart(5, '0')}${ending}`)
/** A rendition's initialization section in fragmented MP4, and ffmpeg's template for it, which keeps `%v` if there is only one. */
const initName = (quality: string) => `init-${quality}.mp4`
export const initFile = (folder: string, quality: string) => join(/* turbopackIgnore: true */ folder, initName(quality))
export const initTemplate = (qualities: readonly string[]) => initName(qualities.length === 1 ? (qualities[0] as string) : '%v')
/** The same as ffmpeg's template. */
export const segmentTemplate = (folder: string, quality: string) => join(/* turbopackIgnore: true */ folder, quality, '%05d.ts')
export const segmentFolder = (folder: string, quality: string) => join(/* turbopackIgnore: true */ folder, quality)
