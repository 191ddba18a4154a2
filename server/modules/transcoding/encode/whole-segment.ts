const PACKET = 188
const SYNC = 0x47
const PIDS = 8_192

/**
 * Returns whether a segment (MPEG-TS from ffmpeg's muxer) is complete: when a disk is full for a moment, ffmpeg omits data without
 * an error. Packets are aligned, and each stream's continuity counter increases by one (ISO 13818-1 §2.4.3).
 */
export function isWholeSegment(bytes: Buffer): boolean {
  if (bytes.length === 0 || bytes.length % PACKET !== 0) return false
  const counters = new Int8Array(PIDS).fill(-1)
  for (let at = 0; at < bytes.length; at += PACKET) {
    if (bytes[at] !== SYNC) return false
    const flags = bytes[at + 3] as number
    // Packets without payload do not increase the counter.
    if ((flags & 0x10) === 0) continue
    const pid = (((bytes[at + 1] as number) & 0x1f) << 8) | (bytes[at + 2] as number)
    const before = counters[pid] as number
    if (before >= 0 && ((before + 1) & 0x0f) !== (flags & 0x0f)) return false
    counters[pid] = flags & 0x0f
  }
  return true
}
