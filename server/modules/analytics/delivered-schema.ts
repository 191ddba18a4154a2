/** What delivered bytes are counted by: the codec of the picture, or sound, which is the same with each of them. */
export const DELIVERED_CODECS = ['h264', 'av1', 'audio'] as const
export type DeliveredCodec = (typeof DELIVERED_CODECS)[number]
