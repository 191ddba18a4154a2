import { payloadOf, readPictures } from '../transcoding/mpeg-ts.ts'

const BEGINNING = Buffer.from('x264 - core ')
const LONGEST = 2_000

/** Returns what x264 states about itself in the first picture of an encoding, `x264 - core 164 …`; null when it does not. */
export function x264Settings(segment: Buffer): string | null {
  const [first] = readPictures(segment).pictures
  if (!first) return null
  const payload = payloadOf(first)
  const from = payload.indexOf(BEGINNING)
  if (from < 0) return null
  const text = payload.subarray(from, from + LONGEST)
  const end = text.findIndex((byte) => byte < 0x20 || byte > 0x7e)
  return text.subarray(0, end < 0 ? undefined : end).toString('latin1')
}
