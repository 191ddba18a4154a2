/** What delivered bytes are counted by: the video codec, or audio, which is the same with each of them. */
export const DELIVERED_CODECS = ['h264', 'av1', 'audio'] as const
export type DeliveredCodec = (typeof DELIVERED_CODECS)[number]

/** Delivered bytes by codec, and how many more than AV1 H.264 would have taken at equal quality. */
export type DeliveredSums = Record<DeliveredCodec | 'saved', number>

/** Adds sums. */
export const sumDelivered = (all: readonly DeliveredSums[]): DeliveredSums =>
  all.reduce(
    (sum, one) => ({ h264: sum.h264 + one.h264, av1: sum.av1 + one.av1, audio: sum.audio + one.audio, saved: sum.saved + one.saved }),
    { h264: 0, av1: 0, audio: 0, saved: 0 },
  )

/** Returns all delivered bytes. */
export const deliveredBytesOf = ({ h264, av1, audio }: DeliveredSums): number => h264 + av1 + audio

/** Returns which share of H.264's bytes AV1 saved. Null if there are none. */
export function savedShare(sums: DeliveredSums): number | null {
  const alone = deliveredBytesOf(sums) + sums.saved
  return alone > 0 ? sums.saved / alone : null
}

/**
 * Bytes of one rendition in one codec, across all videos: currently stored, delivered in a period, and how many more H.264 would have
 * taken.
 */
export interface RenditionSums {
  codec: DeliveredCodec
  /** Its quality, such as `720p`; `audio` for all audio, `iframes` for fast-seeking pictures, empty if unknown. */
  rendition: string
  stored: number
  delivered: number
  saved: number
}

type RenditionNamed = Pick<RenditionSums, 'codec' | 'rendition'>

/** Sorts the highest quality first, each in H.264 before AV1, then fast-seeking pictures, audio and unknown ones. */
export const byRendition = (a: RenditionNamed, b: RenditionNamed): number =>
  placeOf(b.rendition) - placeOf(a.rendition) || DELIVERED_CODECS.indexOf(a.codec) - DELIVERED_CODECS.indexOf(b.codec)

const placeOf = (rendition: string) => ({ iframes: -1, audio: -2, '': -3 })[rendition] ?? Number.parseInt(rendition, 10)

/** Returns a rendition's display name, without its codec. */
export const renditionTitle = (rendition: string): string =>
  ({ audio: 'Audio', iframes: 'Fast seeking', '': 'Removed renditions' })[rendition] ?? rendition

/** Names of the video codecs. Audio has one row for all its codecs. */
export const CODEC_TITLES: Record<DeliveredCodec, string | null> = { h264: 'H.264', av1: 'AV1', audio: null }
