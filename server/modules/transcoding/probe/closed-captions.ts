import { type Picture, payloadOf } from '../encode/mpeg-ts.ts'

/** Channels of CEA-608: two in each field of the picture. */
const CAPTION_CHANNELS = ['CC1', 'CC2', 'CC3', 'CC4'] as const
export type CaptionChannel = (typeof CAPTION_CHANNELS)[number]

/** itu_t_t35 country and provider codes, user identifier and type of caption data (ATSC A/53 part 4 §6.2.3). */
const MARKER = Buffer.from([0xb5, 0x00, 0x31, ...Buffer.from('GA94'), 0x03])
/** Two bytes of head, and three for each of at most 31 constructs. */
const MOST_BYTES = 2 + 31 * 3

/** Adds the channels in which a segment's frames carry captions. */
export function noteCaptions(pictures: readonly Picture[], channels: Set<CaptionChannel>): void {
  for (const picture of pictures) for (const channel of captionChannels(payloadOf(picture))) channels.add(channel)
}

export const inOrder = (channels: ReadonlySet<string>): CaptionChannel[] => CAPTION_CHANNELS.filter((channel) => channels.has(channel))

/**
 * Returns the channels in which a frame (H.264 or H.265, in an SEI message) carries captions: those with a code that starts or shows one
 * (CEA-608 §B). Padding fields, and codes that only erase, do not count.
 */
export function captionChannels(picture: Buffer): Set<CaptionChannel> {
  const found = new Set<CaptionChannel>()
  for (let at = picture.indexOf(MARKER); at >= 0; at = picture.indexOf(MARKER, at + MARKER.length))
    for (const channel of channelsOf(unescaped(picture, at + MARKER.length))) found.add(channel)
  return found
}

function* channelsOf(data: readonly number[]): Generator<CaptionChannel> {
  const [head = 0] = data
  const count = (head & 0x40) === 0 ? 0 : head & 0x1f
  for (let at = 2; at < 2 + count * 3; at += 3) {
    const [kind = 0, first = 0, second = 0] = data.slice(at, at + 3)
    const field = kind & 0x03
    // Valid, and CEA-608 (fields 0 and 1) instead of CEA-708.
    if ((kind & 0x04) === 0 || field > 1 || !isCaptionMode(first & 0x7f, second & 0x7f)) continue
    yield CAPTION_CHANNELS[field * 2 + ((first >> 3) & 1)] as CaptionChannel
  }
}

/** Returns whether a pair of bytes is a resume, roll-up, direct or end-of-caption code, which only captions use. */
const isCaptionMode = (first: number, second: number) =>
  [0x14, 0x15].includes(first & 0xf7) && [0x20, 0x25, 0x26, 0x27, 0x29, 0x2f].includes(second)

/** Returns the caption data at a position, without the 3 bytes that follow two zeros in a NAL unit (H.264 §7.4.1). */
function unescaped(picture: Buffer, start: number): number[] {
  const data: number[] = []
  let zeros = 0
  for (let at = start; at < picture.length && data.length < MOST_BYTES; at++) {
    const byte = picture[at] as number
    if (zeros >= 2 && byte === 3) zeros = 0
    else {
      zeros = byte === 0 ? zeros + 1 : 0
      data.push(byte)
    }
  }
  return data
}
