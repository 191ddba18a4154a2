import { createInterface } from 'node:readline'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { sha256 } from '../secrets/crypto.ts'
import { isStorageError } from '../storage/storage-error.ts'
import type { Storage } from '../storage/storage-port.ts'
import { BackupFault } from './backup-fault.ts'

/** One object of a backup: a slice of a compressed stream, at most PART_BYTES long. */
export const partSchema = z.object({ key: z.string(), bytes: z.number().int(), sha256: z.string() })
export type Part = z.output<typeof partSchema>

/** In memory while it is written or read. */
const PART_BYTES = 16 * 1024 ** 2

/** Compresses `content` (zstd) and stores it in parts, numbered after `prefix`. Returns the parts in order. */
export async function storeParts(store: Storage, prefix: string, content: Readable): Promise<Part[]> {
  const compressed = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  const fed = pipeline(content, compressed)
  // Its error also ends the loop below, which reports it.
  fed.catch(() => {})
  const parts: Part[] = []
  let held: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    const whole = Buffer.concat(held)
    const key = `${prefix}${String(parts.length).padStart(4, '0')}.zst`
    await store.put(key, whole)
    parts.push({ key, bytes, sha256: sha256(whole).toString('hex') })
    held = []
    bytes = 0
  }
  for await (let chunk of compressed as AsyncIterable<Buffer>) {
    while (chunk.length > 0) {
      const taken = chunk.subarray(0, PART_BYTES - bytes)
      held.push(taken)
      bytes += taken.length
      chunk = chunk.subarray(taken.length)
      if (bytes === PART_BYTES) await flush()
    }
  }
  await fed
  if (bytes > 0 || parts.length === 0) await flush()
  return parts
}

/** Reads all parts. Errors: BackupFault for a part that is missing or differs. */
export async function checkParts(store: Storage, parts: readonly Part[], signal: AbortSignal): Promise<void> {
  for await (const _ of checkedParts(store, parts)) signal.throwIfAborted()
}

/** Decompresses the parts into `into`, and ends it. Errors: BackupFault for a part that is missing or differs. */
export const readParts = (store: Storage, parts: readonly Part[], into: Writable): Promise<void> =>
  pipeline(Readable.from(checkedParts(store, parts)), createZstdDecompress(), into)

/** Yields the lines in the parts. Errors: as `readParts`. */
export async function* linesOf(store: Storage, parts: readonly Part[]): AsyncGenerator<string> {
  const text = createZstdDecompress()
  const fed = pipeline(Readable.from(checkedParts(store, parts)), text)
  fed.catch(() => {})
  yield* createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })
  // readline ends without an error when its input fails.
  await fed
}

/** Yields each part after comparing its hash, so that nothing of a changed part is ever used. */
async function* checkedParts(store: Storage, parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const { key, bytes, sha256: expected } of parts) {
    const content = await readWhole(store, key)
    if (content.length !== bytes) throw new BackupFault(`${key} has ${content.length} bytes instead of ${bytes}`)
    if (sha256(content).toString('hex') !== expected) throw new BackupFault(`${key} does not match the content that the backup recorded`)
    yield content
  }
}

/** Reads an object of a backup. Errors: BackupFault if it is missing. */
export async function readWhole(store: Storage, key: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of store.read(key)) chunks.push(Buffer.from(chunk))
  } catch (error) {
    if (isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING') throw new BackupFault(`${key} is missing`)
    throw error
  }
  return Buffer.concat(chunks)
}
