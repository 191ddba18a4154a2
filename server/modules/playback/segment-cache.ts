import { LRUCache } from 'lru-cache'
import { env } from '../../platform/config.ts'
import { processWide } from '../../platform/process-wide.ts'
import { storage } from '../../platform/storage/storage.ts'

/** Pieces are kept and not whole segments: a viewer on a slow line then holds on to one piece of memory, whatever is asked for. */
const PIECE = 256 * 1024
/** How often segments were asked for counts half after so many times for each piece that is kept: about a hundred for each segment. */
const REMEMBERED = 40

const pieces = () =>
  processWide(
    'segment-pieces',
    () => new LRUCache<string, Buffer>({ maxSize: env().SEGMENT_MEMORY_MB * 1024 ** 2, sizeCalculation: (piece) => piece.length }),
  )
const asked = () => processWide('segment-popularity', () => ({ times: new Map<string, number>(), all: 0 }))
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
  count(key)
  let at = 0
  for (let piece = pieces().get(`${key} 0`); piece; piece = pieces().get(`${key} ${at / PIECE}`)) {
    yield piece
    at += piece.length
    if (at >= bytes) return
  }
  const keep = isWorthKeeping(key, bytes - at) ? keeper(key, at, bytes) : undefined
  for await (const part of storage().read(key, { start: at, end: bytes - 1 })) {
    keep?.(part)
    yield part
  }
}

function count(key: string): void {
  const memory = asked()
  memory.times.set(key, (memory.times.get(key) ?? 0) + 1)
  if (++memory.all < REMEMBERED * pieces().size) return
  memory.all = 0
  memory.times = new Map([...memory.times].filter(([, times]) => times > 1).map(([name, times]) => [name, times >> 1]))
}

/**
 * Once memory is full, what is asked for twice as often takes the place of the oldest, and never its like: where more is watched than memory holds,
 * each segment would otherwise be thrown out just before its next viewer comes.
 */
function isWorthKeeping(key: string, bytes: number): boolean {
  const kept = pieces()
  if (kept.calculatedSize + bytes <= kept.maxSize) return true
  const [oldest = ''] = kept.rkeys()
  const { times } = asked()
  return (times.get(key) ?? 0) > 2 * (times.get(oldest.slice(0, oldest.lastIndexOf(' '))) ?? 0) + 1
}

/** Makes pieces of what storage reads from `at` on, however it is cut, and keeps each when it is whole. Copies: parts may share a larger buffer. */
function keeper(key: string, at: number, bytes: number): (part: Uint8Array) => void {
  let piece = Buffer.alloc(0)
  return (part) => {
    for (let taken = 0; taken < part.length && at < bytes; ) {
      const filled = at % PIECE
      if (filled === 0) piece = Buffer.allocUnsafeSlow(Math.min(PIECE, bytes - at))
      const some = part.subarray(taken, taken + piece.length - filled)
      piece.set(some, filled)
      taken += some.length
      at += some.length
      if (filled + some.length === piece.length) pieces().set(`${key} ${(at - piece.length) / PIECE}`, piece)
    }
  }
}
