/** Codecs of renditions: every video has those of the first, which plays everywhere. */
export const CODECS = ['h264', 'av1'] as const
export type Codec = (typeof CODECS)[number]

/** Returns the name of a rendition among those of its media, in playlists and files: `720p`, or `av1-720p`. */
export const renditionName = ({ codec, quality }: { codec: Codec; quality: string }): string =>
  codec === 'h264' ? quality : `${codec}-${quality}`
