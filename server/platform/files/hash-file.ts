import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** Returns the SHA-256 of a local file. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<Buffer<ArrayBuffer>> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(/* turbopackIgnore: true */ path), hash, signal ? { signal } : {})
  return Buffer.from(hash.digest())
}
