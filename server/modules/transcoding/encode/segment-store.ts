import { createCipheriv, createDecipheriv } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { isStorageError } from '../../../platform/storage/storage-error.ts'
import { type Codec, renditionName } from '../../videos/codecs-schema.ts'
import { FRAGMENT, segmentHeaders, segmentKey } from '../../videos/media-keys.ts'
import { type CaptionChannel, inOrder, noteCaptions } from '../probe/closed-captions.ts'
import type { ChunkResult, StoredSegment } from '../tasks/store.ts'
import { streamKey } from './content-key.ts'
import type { EncodedRendition } from './encoded.ts'
import type { PrepareFragment } from './fragmented-mp4.ts'
import { readPictures } from './mpeg-ts.ts'
import { outputFault } from './output-fault.ts'

interface Input {
  mediaId: string
  /** If undefined, segments are stored unencrypted. */
  contentKey: Uint8Array | undefined
  /** Codec of the renditions. Defaults to H.264. */
  codec?: Codec | undefined
  /** Collects the storage key of each segment before it is stored. */
  written?: Set<string>
  /** Streams (qualities, or an audio track) to store. Undefined: all. For the others, only names are computed. */
  only?: ReadonlySet<string>
  /** The stream whose frames are searched for captions. */
  captionsIn?: string
  /** How to prepare fragmented MP4 segments. Absent for MPEG-TS. */
  fragments?: PrepareFragment | undefined
  signal: AbortSignal
}

/** A finished segment from ffmpeg on disk. `sequence` is its media sequence number, from which its IV follows. */
export interface PlainSegment {
  sequence: number
  path: string
  durationSec: number
}

/** Numbers the segments of an encoder's list. */
export const numbered = (segments: readonly { path: string; durationSec: number }[], first: number): PlainSegment[] =>
  segments.map((segment, at) => ({ ...segment, sequence: first + at }))

/** Stores segments during encoding, so that a task is stored when encoding ends and never needs twice its size on disk. */
export interface SegmentStore {
  /** Stores a segment that ffmpeg has completed and removes its file. */
  add(stream: string, sequence: number, path: string): void
  /** Aborts, with the reason, when a segment cannot be stored, because more encoding would be useless. */
  failed: AbortSignal
  /** Stores the segments not added yet and returns the list of a stream. Rejects when any segment could not be stored. */
  finish(stream: string, segments: readonly PlainSegment[]): Promise<StoredSegment[]>
  /** Returns a stream's stored segments, up to the first one that is not stored. */
  soFar(stream: string, segments: readonly PlainSegment[]): StoredSegment[]
  /** Returns the caption channels in what is stored. */
  closedCaptions(): CaptionChannel[]
  /** Resolves when no write is pending, successful or not. */
  settle(): Promise<void>
}

/** Segments stored concurrently. */
const AT_ONCE = 4

interface Segment {
  stream: string
  sequence: number
  path: string
}
interface Stored {
  name: string
  bytes: number
}

export function segmentStore(input: Input): SegmentStore {
  const { mediaId, contentKey, codec = 'h264', written, only, captionsIn, fragments, signal } = input
  const failure = new AbortController()
  const known = new Map<string, Promise<Stored | undefined>>()
  const ready = new Map<string, Stored>()
  const captions = new Set<CaptionChannel>()
  const waiting: (() => void)[] = []
  let running = 0

  const encrypt = (plain: Buffer, key: Uint8Array, { stream, sequence }: Omit<Segment, 'path'>) =>
    encryptSegment(plain, streamKey(key, renditionName({ codec, quality: stream })), sequence)
  const wholeSegment = async (path: string, { stream, sequence }: Omit<Segment, 'path'>): Promise<Buffer> => {
    const file = await readFile(path)
    try {
      if (fragments) return fragments(stream, file)
    } catch (error) {
      throw await outputFault(path, `segment ${sequence} of ${stream}: ${(error as Error).message}`)
    }
    if (!isWholeSegment(file)) throw await outputFault(path, `segment ${sequence} of ${stream} is incomplete`)
    return file
  }
  const storeSegment = async ({ stream, sequence, path }: Segment): Promise<Stored> => {
    signal.throwIfAborted()
    failure.signal.throwIfAborted()
    const plain = await wholeSegment(path, { stream, sequence })
    if (stream === captionsIn && !fragments) noteCaptions(readPictures(plain).pictures, captions)
    const { name: hash, body } = contentKey ? encrypt(plain, contentKey, { stream, sequence }) : { name: contentName(plain), body: plain }
    const name = fragments ? `${hash}${FRAGMENT}` : hash
    if (only?.has(stream) ?? true) {
      written?.add(segmentKey(mediaId, name))
      await putPatiently(segmentKey(mediaId, name), body, AbortSignal.any([signal, failure.signal]))
    }
    await rm(path)
    return { name, bytes: body.byteLength }
  }

  const idOf = (stream: string, sequence: number) => `${stream} ${sequence}`
  /** Limits concurrency. Records a failure and returns undefined, so that cleanup starts after all writes have ended. */
  const inTurn = async (segment: Segment): Promise<Stored | undefined> => {
    if (running >= AT_ONCE) await new Promise<void>((next) => waiting.push(next))
    running++
    try {
      const stored = await storeSegment(segment)
      ready.set(idOf(segment.stream, segment.sequence), stored)
      return stored
    } catch (error) {
      failure.abort(error)
      return undefined
    } finally {
      running--
      waiting.shift()?.()
    }
  }
  const add = (stream: string, sequence: number, path: string): Promise<Stored | undefined> => {
    const id = idOf(stream, sequence)
    const stored = known.get(id) ?? inTurn({ stream, sequence, path })
    known.set(id, stored)
    return stored
  }

  return {
    add: (stream, sequence, path) => void add(stream, sequence, path),
    failed: failure.signal,
    closedCaptions: () => inOrder(captions),
    async settle() {
      await Promise.all(known.values())
    },
    soFar(stream, segments) {
      const stored = segments.map(({ sequence, durationSec }) => ({ ...ready.get(idOf(stream, sequence)), durationSec }))
      const missing = stored.findIndex(({ name }) => name === undefined)
      return stored.slice(0, missing < 0 ? undefined : missing).map((one) => [one.name ?? '', one.durationSec, one.bytes ?? 0])
    },
    async finish(stream, segments) {
      const stored = await Promise.all(segments.map(({ sequence, path }) => add(stream, sequence, path)))
      failure.signal.throwIfAborted()
      return stored.map((one, at) => {
        const { name, bytes } = one as Stored
        return [name, segments[at]?.durationSec ?? 0, bytes]
      })
    },
  }
}

/** Stores the rest of a chunk's renditions, whose first segment has the media sequence number `first`. Returns its task's result. */
export async function storeRenditions(
  { finish }: Pick<SegmentStore, 'finish'>,
  encoded: readonly EncodedRendition[],
  first: number,
): Promise<ChunkResult['renditions']> {
  const stored: ChunkResult['renditions'] = {}
  for (const { spec, codecs, segments, init } of encoded) {
    const list = await finish(spec.quality, numbered(segments, first))
    stored[spec.quality] = { codecs, segments: list, ...(init && { init: init.toString('base64') }) }
  }
  return stored
}

/** Longest time that storing a segment waits for an unresponsive storage: encoding it again would cost more. */
const PATIENCE_MS = 60_000
const RETRY_MS = 1_000

/** Stores a segment, and waits a minute for a storage that does not respond. Rejects with a StorageError. */
export async function putPatiently(key: string, body: Uint8Array, signal: AbortSignal): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await storage().put(key, body, segmentHeaders(key))
    } catch (error) {
      if (!isStorageError(error) || performance.now() > until) throw error
      await wait(RETRY_MS, undefined, { signal })
    }
  }
}

const PACKET = 188
const SYNC = 0x47
const PIDS = 8_192

/**
 * Returns whether a segment (MPEG-TS from ffmpeg's muxer) is complete: when a disk is full for a moment, ffmpeg omits data without an
 * error. Packets are aligned, and each stream's continuity counter increases by one (ISO 13818-1 §2.4.3).
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

/**
 * Encrypts with AES-128-CBC and the media sequence number as IV, the default of players without an IV attribute (RFC 8216 §5.2).
 * `name` is the first 128 bits of the ciphertext's SHA-256, hexadecimal.
 */
export function encryptSegment(plain: Uint8Array, key: Uint8Array, sequence: number): { name: string; body: Buffer } {
  const cipher = createCipheriv('aes-128-cbc', key, sequenceIv(sequence))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return { name: contentName(body), body }
}

/** Reverses `encryptSegment`. Throws if the key or the sequence number is different. */
export function decryptSegment(body: Uint8Array, key: Uint8Array, sequence: number): Buffer {
  const decipher = createDecipheriv('aes-128-cbc', key, sequenceIv(sequence))
  return Buffer.concat([decipher.update(body), decipher.final()])
}

export const contentName = (body: Uint8Array): string => sha256(body).subarray(0, 16).toString('hex')

/** Returns the number as 128 bits, big-endian. */
export function sequenceIv(sequence: number): Buffer {
  const iv = Buffer.alloc(16)
  iv.writeBigUInt64BE(BigInt(sequence), 8)
  return iv
}
