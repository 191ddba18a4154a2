import { createDecipheriv } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { storage } from '../../../platform/storage/storage.ts'
import { sequenceIv } from '../../transcoding/encode/encrypt.ts'
import { PACKET_BYTES, ptsOf } from '../../transcoding/encode/mpeg-ts.ts'
import { refuseDamaged } from '../../videos/media-faults.ts'

/** Bytes that hold the beginning of a segment's first picture; whole packets and whole cipher blocks. */
const HEAD_BYTES = 16 * PACKET_BYTES * 32

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
