import { LRUCache } from 'lru-cache'
import { cacheRequests } from '../../../platform/cache.ts'
import { env } from '../../../platform/config/config.ts'
import { services } from '../../../platform/container.ts'
import type { MaybePromise } from '../../../platform/maybe-promise.ts'
import { gauge } from '../../../platform/observe/metrics.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { Turns } from '../../../platform/turns/turns.ts'
import { isVerified, verifyObject } from '../tokens/verify-object.ts'

/** The unit of caching, smaller than a segment: a viewer on a slow connection then holds one piece in memory at a time. */
const PIECE = 256 * 1024
/** Popularity counts are halved after this many requests per cached piece: about a hundred per segment. */
const REMEMBERED = 40
/** Share of the segment memory that segments not kept may take in addition. */
const RECENT_SHARE = 1 / 8

interface SegmentCache {
  /** By segment and number. */
  pieces: LRUCache<string, Buffer>
  /** Requests by segment, and of all. */
  popularity: { times: Map<string, number>; all: number }
  /** Bytes by segment. */
  sizes: LRUCache<string, number>
  /** Pieces of segments that were just verified and are not kept, so that one response does not read storage twice. */
  recent: LRUCache<string, Buffer[]>
  loading: Map<string, Promise<void>>
  /** Limits the segments in memory before it is decided whether to keep them. */
  turns: Turns
}

declare module '../../../platform/container.ts' {
  interface Services {
    segmentCache: SegmentCache
  }
}

export const makeSegmentCache = (): SegmentCache => ({
  pieces: new LRUCache({ maxSize: env().SEGMENT_MEMORY_MB * 1024 ** 2, sizeCalculation: (piece) => piece.length }),
  popularity: { times: new Map(), all: 0 },
  sizes: new LRUCache({ max: 50_000 }),
  recent: new LRUCache({
    maxSize: Math.ceil(env().SEGMENT_MEMORY_MB * 1024 ** 2 * RECENT_SHARE),
    sizeCalculation: (loaded) => loaded.reduce((sum, piece) => sum + piece.length, 1),
  }),
  loading: new Map(),
  turns: new Turns({ name: 'segments', places: 32, share: 8, alone: 24, queue: 500, waiting: 2_000, retryAfter: 5 }),
})

export const segmentCacheBytes = gauge('reelgate_segment_cache_bytes', 'Bytes of segments held in memory.', () => pieces().calculatedSize)

const pieces = () => services().segmentCache.pieces
const popularity = () => services().segmentCache.popularity
const sizes = () => services().segmentCache.sizes

/** Returns a stored segment's size in bytes. Undefined if it does not exist. Segments in the cache need no storage request. */
export async function segmentBytes(key: string): Promise<number | undefined> {
  const known = pieces().has(`${key} 0`) ? sizes().get(key) : undefined
  if (known !== undefined) return known
  const stored = await storage().stat(key)
  if (stored) sizes().set(key, stored.bytes)
  return stored?.bytes
}

/**
 * Ensures that what `readSegment` and the storage return for a segment matches its name. In memory, there is nothing to do, because only
 * verified segments are kept there. Others are read and hashed at most once an hour, once for all waiters. Errors: SERVICE_UNAVAILABLE for
 * a damaged segment, which is reported; TurnRefused.
 */
export function prepareSegment(key: string, bytes: number): MaybePromise<void> {
  count(key)
  const cached = isInMemory(key, bytes)
  cacheRequests.add({ cache: 'segments', result: cached ? 'hit' : 'miss' })
  if (cached) return
  const keep = isWorthKeeping(key, bytes)
  if (!keep && isVerified(key)) return
  return loadSegment(key, bytes)
}

/** Reads a whole prepared segment: its pieces in memory, then from storage, starting at the first missing piece. */
export async function* readSegment(key: string, bytes: number): AsyncGenerator<Uint8Array> {
  const recent = services().segmentCache.recent.get(key)
  let at = 0
  for (let piece = pieceAt(0); piece; piece = pieceAt(at / PIECE)) {
    yield piece
    at += piece.length
    if (at >= bytes) return
  }
  yield* storage().read(key, { start: at, end: bytes - 1 })

  function pieceAt(number: number): Buffer | undefined {
    return pieces().get(`${key} ${number}`) ?? recent?.[number]
  }
}

function isInMemory(key: string, bytes: number): boolean {
  const kept = pieces()
  for (let number = 0; number * PIECE < bytes; number++) if (!kept.has(`${key} ${number}`)) return false
  return true
}

/** Reads and verifies a segment. Keeps it if it is worth it, otherwise only for the responses waiting for it. */
function loadSegment(key: string, bytes: number): Promise<void> {
  const { loading, turns } = services().segmentCache
  const running =
    loading.get(key) ?? turns.run([key.split('/', 2).join('/'), ''], () => load(key, bytes)).finally(() => loading.delete(key))
  loading.set(key, running)
  return running
}

async function load(key: string, bytes: number): Promise<void> {
  const loaded: Buffer[] = []
  const collect = collector(bytes, loaded)
  await verifyObject(key, collect)
  if (isWorthKeeping(key, bytes)) for (const [number, piece] of loaded.entries()) pieces().set(`${key} ${number}`, piece)
  else services().segmentCache.recent.set(key, loaded)
}

function count(key: string): void {
  const memory = popularity()
  memory.times.set(key, (memory.times.get(key) ?? 0) + 1)
  if (++memory.all < REMEMBERED * pieces().size) return
  memory.all = 0
  memory.times = new Map([...memory.times].filter(([, times]) => times > 1).map(([name, times]) => [name, times >> 1]))
}

/**
 * Returns whether to cache a segment. Once memory is full, it replaces the oldest only if requested more than twice as often: if the
 * watched segments exceed memory, each would otherwise be evicted just before its next viewer needs it.
 */
function isWorthKeeping(key: string, bytes: number): boolean {
  const kept = pieces()
  if (bytes > kept.maxSize) return false
  if (kept.calculatedSize + bytes <= kept.maxSize) return true
  const [oldest = ''] = kept.rkeys()
  const { times } = popularity()
  return (times.get(key) ?? 0) > 2 * (times.get(oldest.slice(0, oldest.lastIndexOf(' '))) ?? 0) + 1
}

/** Returns a function that collects storage reads into pieces. Copies the data, because chunks may share a larger buffer. */
function collector(bytes: number, into: Buffer[]): (part: Uint8Array) => void {
  let at = 0
  return (part) => {
    for (let taken = 0; taken < part.length && at < bytes; ) {
      const filled = at % PIECE
      if (filled === 0) into.push(Buffer.allocUnsafeSlow(Math.min(PIECE, bytes - at)))
      const piece = into.at(-1) as Buffer
      const some = part.subarray(taken, taken + piece.length - filled)
      piece.set(some, filled)
      taken += some.length
      at += some.length
    }
  }
}
