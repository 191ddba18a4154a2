import { LRUCache } from 'lru-cache'
import { cacheRequests } from '../../platform/cache.ts'
import { env } from '../../platform/config.ts'
import { services } from '../../platform/container.ts'
import { gauge } from '../../platform/metrics.ts'
import { storage } from '../../platform/storage/storage.ts'

/** The unit of caching, smaller than a segment: a viewer on a slow connection then holds one piece in memory at a time. */
const PIECE = 256 * 1024
/** Popularity counts are halved after this many requests per cached piece: about a hundred per segment. */
const REMEMBERED = 40

interface SegmentCache {
  /** By segment and number. */
  pieces: LRUCache<string, Buffer>
  /** Requests by segment, and of all. */
  popularity: { times: Map<string, number>; all: number }
  /** Bytes by segment. */
  sizes: LRUCache<string, number>
}

declare module '../../platform/container.ts' {
  interface Services {
    segmentCache: SegmentCache
  }
}

export const makeSegmentCache = (): SegmentCache => ({
  pieces: new LRUCache({ maxSize: env().SEGMENT_MEMORY_MB * 1024 ** 2, sizeCalculation: (piece) => piece.length }),
  popularity: { times: new Map(), all: 0 },
  sizes: new LRUCache({ max: 50_000 }),
})

export const segmentCacheBytes = gauge('reelgate_segment_cache_bytes', 'Bytes of segments in memory.', () => pieces().calculatedSize)

const pieces = () => services().segmentCache.pieces
const popularity = () => services().segmentCache.popularity
const sizes = () => services().segmentCache.sizes

/**
 * Returns the size of a stored segment in bytes; undefined when it does not exist. Segments in the cache need no storage request.
 */
export async function segmentBytes(key: string): Promise<number | undefined> {
  const known = pieces().has(`${key} 0`) ? sizes().get(key) : undefined
  if (known !== undefined) return known
  const stored = await storage().stat(key)
  if (stored) sizes().set(key, stored.bytes)
  return stored?.bytes
}

/** Reads a whole segment: its cached pieces, then from storage from the first missing piece on. */
export async function* readSegment(key: string, bytes: number): AsyncGenerator<Uint8Array> {
  count(key)
  let at = 0
  cacheRequests.add({ cache: 'segments', result: pieces().has(`${key} 0`) ? 'hit' : 'miss' })
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
  const memory = popularity()
  memory.times.set(key, (memory.times.get(key) ?? 0) + 1)
  if (++memory.all < REMEMBERED * pieces().size) return
  memory.all = 0
  memory.times = new Map([...memory.times].filter(([, times]) => times > 1).map(([name, times]) => [name, times >> 1]))
}

/**
 * Returns whether to cache a segment. Once memory is full, it replaces the oldest only when requested more than twice as often:
 * where the watched segments exceed memory, each would otherwise be evicted just before its next viewer needs it.
 */
function isWorthKeeping(key: string, bytes: number): boolean {
  const kept = pieces()
  if (kept.calculatedSize + bytes <= kept.maxSize) return true
  const [oldest = ''] = kept.rkeys()
  const { times } = popularity()
  return (times.get(key) ?? 0) > 2 * (times.get(oldest.slice(0, oldest.lastIndexOf(' '))) ?? 0) + 1
}

/**
 * Returns a function that collects storage reads from `at` on into pieces and caches each complete one. Copies the data: parts may
 * share a larger buffer.
 */
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
