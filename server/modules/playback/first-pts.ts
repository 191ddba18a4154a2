import { createDecipheriv } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { storage } from '../../platform/storage/storage.ts'
import { sequenceIv } from '../transcoding/encrypt.ts'
import { refuseDamaged } from '../videos/media-faults.ts'

/** Bytes that hold the beginning of a segment's first picture; whole packets and whole cipher blocks. */
const HEAD_BYTES = 16 * 188 * 32
const PACKET_BYTES = 188

/** By storage key, whose content never changes. A second copy in the pages' module graph holds the same values. */
const known = new LRUCache<string, number>({ max: 10_000 })

/**
 * Returns the time stamp of the first picture in a stored segment with media sequence number 0, on the 90 kHz clock of MPEG-TS. `contentKey`
 * for an encrypted one. Errors: SERVICE_UNAVAILABLE for one that is missing or does not begin with a picture; StorageError.
 */
export async function firstPts(key: string, contentKey: Uint8Array | undefined): Promise<number> {
  const held = known.get(key)
  if (held !== undefined) return held
  const stored = await readHead(key)
  const pts = ptsOf(contentKey ? decryptHead(stored, contentKey) : stored)
  if (pts === undefined) throw refuseDamaged(key)
  known.set(key, pts)
  return pts
}

async function readHead(key: string): Promise<Buffer> {
  const parts: Buffer[] = []
  const end = Math.min(HEAD_BYTES, (await storage().stat(key))?.bytes ?? 0) - 1
  if (end < 0) throw refuseDamaged(key)
  for await (const part of storage().read(key, { start: 0, end })) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

function decryptHead(stored: Buffer, contentKey: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', contentKey, sequenceIv(0)).setAutoPadding(false)
  return decipher.update(stored)
}

/** Returns the time stamp of the first PES packet of video (ISO/IEC 13818-1 §2.4.3.6). */
export function ptsOf(segment: Buffer): number | undefined {
  for (let at = 0; at + PACKET_BYTES <= segment.length; at += PACKET_BYTES) {
    const packet = segment.subarray(at, at + PACKET_BYTES)
    const [sync, flags, , control] = packet as unknown as [number, number, number, number]
    if (sync !== 0x47 || (flags & 0x40) === 0) continue
    const start = (control & 0x20) === 0 ? 4 : 5 + (packet[4] as number)
    if (start + 14 > PACKET_BYTES || packet.readUIntBE(start, 3) !== 1 || ((packet[start + 3] as number) & 0xf0) !== 0xe0) continue
    if (((packet[start + 7] as number) & 0x80) === 0) continue
    // 33 bits in groups of 3, 15 and 15, each followed by a marker bit.
    const high = ((packet[start + 9] as number) >> 1) & 0x07
    const [middle, low] = [packet.readUInt16BE(start + 10) >> 1, packet.readUInt16BE(start + 12) >> 1]
    return high * 2 ** 30 + middle * 2 ** 15 + low
  }
  return undefined
}
