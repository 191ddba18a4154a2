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
