import { createHash } from 'node:crypto'
import { storage } from '../../platform/storage/storage.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'

/**
 * Reads an object and returns its SHA-256, hexadecimal, and its size. Calls `onPart` with each chunk, which may be overwritten when the
 * next is requested, and waits for it. Errors: StorageError.
 */
export async function hashObject(
  key: string,
  { onPart, store = storage() }: { onPart?: (part: Uint8Array) => Promise<unknown> | undefined; store?: Storage } = {},
): Promise<{ hash: string; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const part of store.read(key)) {
    hash.update(part)
    bytes += part.byteLength
    const pause = onPart?.(part)
    if (pause) await pause
  }
  return { hash: hash.digest('hex'), bytes }
}
