import { LRUCache } from 'lru-cache'
import { processWide } from '../infra/process-wide.ts'
import { storage } from '../infra/storage/storage.ts'

/** Pieces are kept and not whole segments: a viewer on a slow line then holds on to one piece of memory, whatever is asked for. */
const PIECE = 256 * 1024
const KEPT_BYTES = 64 * 1024 ** 2

const pieces = () =>
  processWide('segment-pieces', () => new LRUCache<string, Buffer>({ maxSize: KEPT_BYTES, sizeCalculation: (piece) => piece.length }))
const sizes = () => processWide('segment-sizes', () => new LRUCache<string, number>({ max: 50_000 }))

/** Size of a stored segment in bytes; undefined when it is not there. What is being watched now is known without asking. */
export async function segmentBytes(key: string): Promise<number | undefined> {
  const known = pieces().has(`${key} 0`) ? sizes().get(key) : undefined
  if (known !== undefined) return known
  const stored = await storage().stat(key)
  if (stored) sizes().set(key, stored.bytes)
  return stored?.bytes
}

/** A whole segment: what is kept of it, and from the first piece that is not, what storage has. */
export async function* readSegment(key: string, bytes: number): AsyncGenerator<Uint8Array> {
  let at = 0
  for (let piece = pieces().get(`${key} 0`); piece; piece = pieces().get(`${key} ${at / PIECE}`)) {
    yield piece
    at += piece.length
    if (at >= bytes) return
  }
  for await (const part of storage().read(key, { start: at, end: bytes - 1 })) {
    // Storage that reads in other pieces is read from each time; a copy, as parts may share a larger buffer.
    if (at % PIECE === 0 && (part.length === PIECE || at + part.length === bytes)) pieces().set(`${key} ${at / PIECE}`, Buffer.from(part))
    at += part.length
    yield part
  }
}
