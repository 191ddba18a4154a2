/** Codecs of renditions. Every video has the first, which plays everywhere. */
export const CODECS = ['h264', 'av1'] as const
export type Codec = (typeof CODECS)[number]

/** Returns a rendition's name among those of its media, in playlists and files: `720p`, or `av1-720p`. */
export const renditionName = ({ codec, quality }: { codec: Codec; quality: string }): string =>
  codec === 'h264' ? quality : `${codec}-${quality}`
