const PACKET = 188
const SPS = 7

/**
 * Returns the sequence parameter sets (ISO 14496-10 §7.3.2.1.1) of the H.264 stream in an MPEG-TS segment, in hexadecimal and each once. More
 * than one means that the picture changes its size or form.
 */
export function readParameterSets(segment: Buffer): Set<string> {
  const stream = pictureBytes(segment)
  const sets = new Set<string>()
  for (let at = stream.indexOf(START_CODE); at >= 0; ) {
    const next = stream.indexOf(START_CODE, at + 3)
    if (((stream[at + 3] ?? 0) & 0x1f) === SPS) {
      let end = next < 0 ? stream.length : next
      while (stream[end - 1] === 0) end--
      sets.add(stream.toString('hex', at + 3, end))
    }
    at = next
  }
  return sets
}

/** Returns CODECS (RFC 6381, e.g. `avc1.640028`) of a sequence parameter set: profile, constraints and level. */
export const codecsOf = (set: string): string => `avc1.${set.slice(2, 8)}`

const START_CODE = Buffer.of(0, 0, 1)

/** Returns what the packets of the picture's stream carry, joined. */
function pictureBytes(segment: Buffer): Buffer {
  const parts: Buffer[] = []
  let picture: number | undefined
  for (let at = 0; at + PACKET <= segment.length; at += PACKET) {
    const pid = (((segment[at + 1] as number) & 0x1f) << 8) | (segment[at + 2] as number)
    const hasAdaptation = ((segment[at + 3] as number) & 0x20) !== 0
    const payload = segment.subarray(at + 4 + (hasAdaptation ? 1 + (segment[at + 4] as number) : 0), at + PACKET)
    // A packet of video streams begins with 00 00 01 and an id from E0 to EF.
    const begins = ((segment[at + 1] as number) & 0x40) !== 0 && payload.indexOf(START_CODE) === 0 && ((payload[3] ?? 0) & 0xf0) === 0xe0
    if (begins) picture ??= pid
    if (pid === picture) parts.push(payload)
  }
  return Buffer.concat(parts)
}
