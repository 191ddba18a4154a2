const PACKET = 188
const SPS = 7

/**
 * Returns CODECS (RFC 6381, e.g. `avc1.640028`) of the H.264 stream at the beginning of an MPEG-TS segment: profile, constraints and level
 * of its first sequence parameter set (ISO 14496-10 §7.3.2.1.1). Undefined without one.
 */
export function readH264Codecs(segment: Buffer): string | undefined {
  const stream = pictureBytes(segment)
  for (let at = stream.indexOf(START_CODE); at >= 0; at = stream.indexOf(START_CODE, at + 1))
    if (((stream[at + 3] ?? 0) & 0x1f) === SPS) return `avc1.${stream.toString('hex', at + 4, at + 7)}`
  return undefined
}

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
