import { readFile, rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'
import { SEGMENT_HEADERS, segmentKey } from '../videos/media-keys.ts'
import type { EncodedRendition } from './encode.ts'
import { contentName, encryptSegment } from './encrypt.ts'
import { outputFault } from './output-fault.ts'
import { measureRates, type StoredRendition } from './store.ts'
import { isWholeSegment } from './whole-segment.ts'

interface Input {
  videoId: string
  /** When undefined, segments are stored unencrypted. */
  contentKey: Uint8Array | undefined
  /** Collects the storage key of each segment before it is stored. */
  written: Set<string>
  /** Renditions whose plain segments are still needed; those of the others are removed when stored. */
  keep: ReadonlySet<string>
  /** Renditions to store; undefined: all. */
  only?: ReadonlySet<string>
  signal: AbortSignal
}

/** Stores segments during encoding, so that a long video is stored when encoding ends and never needs twice its size on disk. */
export interface SegmentStore {
  /** Stores a segment that ffmpeg has completed. */
  add(quality: string, sequence: number, path: string): void
  /** Aborts, with the reason, when a segment cannot be stored, which makes further encoding useless. */
  failed: AbortSignal
  /** Stores the segments not added yet and returns the renditions. Rejects when any segment could not be stored. */
  finish(encoded: readonly EncodedRendition[], frameRate: number): Promise<StoredRendition[]>
  /** Resolves when no write is pending, successful or not. */
  settle(): Promise<void>
}

/** Segments stored concurrently. */
const AT_ONCE = 4

interface Segment {
  quality: string
  sequence: number
  path: string
}
interface Stored {
  name: string
  bytes: number
}

export function segmentStore({ videoId, contentKey, written, keep, only, signal }: Input): SegmentStore {
  const failure = new AbortController()
  const known = new Map<string, Promise<Stored | undefined>>()
  const waiting: (() => void)[] = []
  let running = 0

  const storeSegment = async ({ quality, sequence, path }: Segment): Promise<Stored> => {
    signal.throwIfAborted()
    failure.signal.throwIfAborted()
    const plain = await readFile(path)
    if (!isWholeSegment(plain)) throw await outputFault(path, `segment ${sequence} of ${quality} is incomplete`)
    const { name, body } = contentKey ? encryptSegment(plain, contentKey, sequence) : { name: contentName(plain), body: plain }
    if (only?.has(quality) ?? true) {
      written.add(segmentKey(videoId, name))
      await putPatiently(segmentKey(videoId, name), body, AbortSignal.any([signal, failure.signal]))
    }
    if (!keep.has(quality)) await rm(path)
    return { name, bytes: body.byteLength }
  }

  /** Limits concurrency. Records a failure and returns undefined, so that cleanup starts after all writes have ended. */
  const inTurn = async (segment: Segment): Promise<Stored | undefined> => {
    if (running >= AT_ONCE) await new Promise<void>((next) => waiting.push(next))
    running++
    try {
      return await storeSegment(segment)
    } catch (error) {
      failure.abort(error)
      return undefined
    } finally {
      running--
      waiting.shift()?.()
    }
  }
  const idOf = (quality: string, sequence: number) => `${quality} ${sequence}`
  const add = (quality: string, sequence: number, path: string): Promise<Stored | undefined> => {
    const id = idOf(quality, sequence)
    const stored = known.get(id) ?? inTurn({ quality, sequence, path })
    known.set(id, stored)
    return stored
  }

  return {
    add: (quality, sequence, path) => void add(quality, sequence, path),
    failed: failure.signal,
    async settle() {
      await Promise.all(known.values())
    },
    async finish(encoded, frameRate) {
      const pending = encoded.map(({ spec, segments }) => segments.map(({ path }, sequence) => add(spec.quality, sequence, path)))
      const stored = await Promise.all(pending.map((segments) => Promise.all(segments)))
      failure.signal.throwIfAborted()
      return encoded.map((one, at) => renditionAs(one, stored[at] as Stored[], frameRate))
    },
  }
}

/** Longest that storing a segment waits for a storage that does not respond: encoding it again would cost more. */
const PATIENCE_MS = 60_000
const RETRY_MS = 1_000

async function putPatiently(key: string, body: Uint8Array, signal: AbortSignal): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await storage().put(key, body, SEGMENT_HEADERS)
    } catch (error) {
      if (!isStorageError(error) || performance.now() > until) throw error
      await wait(RETRY_MS, undefined, { signal })
    }
  }
}

function renditionAs({ spec, codecs, segments }: EncodedRendition, stored: Stored[], frameRate: number): StoredRendition {
  const timed = stored.map((one, at) => ({ ...one, durationSec: segments[at]?.durationSec ?? 0 }))
  const { quality, width, height } = spec
  return {
    ...{ quality, width, height, frameRate, codecs },
    ...measureRates(timed),
    bytes: timed.reduce((sum, one) => sum + one.bytes, 0),
    segments: timed.map(({ name, durationSec }) => [name, durationSec]),
  }
}
