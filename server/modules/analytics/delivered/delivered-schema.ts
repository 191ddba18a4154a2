/** What delivered bytes are counted by: the codec of the picture, or sound, which is the same with each of them. */
export const DELIVERED_CODECS = ['h264', 'av1', 'audio'] as const
export type DeliveredCodec = (typeof DELIVERED_CODECS)[number]

/** Delivered bytes by codec, and what H.264 would have taken in addition to those of AV1, at equal quality. */
export type DeliveredSums = Record<DeliveredCodec | 'saved', number>

/** Adds sums. */
export const sumDelivered = (all: readonly DeliveredSums[]): DeliveredSums =>
  all.reduce(
    (sum, one) => ({ h264: sum.h264 + one.h264, av1: sum.av1 + one.av1, audio: sum.audio + one.audio, saved: sum.saved + one.saved }),
    { h264: 0, av1: 0, audio: 0, saved: 0 },
  )

/** Returns all delivered bytes. */
export const deliveredBytesOf = ({ h264, av1, audio }: DeliveredSums): number => h264 + av1 + audio

/** Returns the share of the bytes that H.264 alone would have taken which AV1 saved; null without any. */
export function savedShare(sums: DeliveredSums): number | null {
  const alone = deliveredBytesOf(sums) + sums.saved
  return alone > 0 ? sums.saved / alone : null
}

/** Bytes of one rendition in one codec, of all videos: stored now, delivered in a period, and what H.264 would have taken in addition. */
export interface RenditionSums {
  codec: DeliveredCodec
  /** Its quality, such as `720p`; `audio` for all sound, `iframes` for the pictures of fast seeking, empty where it is unknown. */
  rendition: string
  stored: number
  delivered: number
  saved: number
}

type RenditionNamed = Pick<RenditionSums, 'codec' | 'rendition'>

/** Sorts the highest quality first, each in H.264 before AV1, then pictures of fast seeking, sound and what is unknown. */
export const byRendition = (a: RenditionNamed, b: RenditionNamed): number =>
  placeOf(b.rendition) - placeOf(a.rendition) || DELIVERED_CODECS.indexOf(a.codec) - DELIVERED_CODECS.indexOf(b.codec)

const placeOf = (rendition: string) => ({ iframes: -1, audio: -2, '': -3 })[rendition] ?? Number.parseInt(rendition, 10)

/** Returns the name of a rendition for people, without its codec. */
export const renditionTitle = (rendition: string): string =>
  ({ audio: 'Sound', iframes: 'Fast seeking', '': 'Removed renditions' })[rendition] ?? rendition

/** Names of the codecs of pictures; sound has one row for all of its codecs. */
export const CODEC_TITLES: Record<DeliveredCodec, string | null> = { h264: 'H.264', av1: 'AV1', audio: null }
