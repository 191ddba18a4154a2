import { ServiceError } from '../../../errors.ts'
import { storage } from '../../../platform/storage/storage.ts'
import type { ByteRange } from '../../../platform/storage/storage-port.ts'
import { isVerified, verifyObject } from '../tokens/verify-object.ts'

export interface Picture {
  bytes: number
  /** Strong ETag, quoted: the name is the hash of the content. */
  etag: string
  read(range?: ByteRange): AsyncIterable<Uint8Array>
}

/** Returns a picture by its storage key. Errors: NOT_FOUND, also for undefined; SERVICE_UNAVAILABLE for a damaged one. */
export async function findPicture(key: string | undefined): Promise<Picture> {
  const stored = key && (await storage().stat(key))
  if (!key || !stored) throw new ServiceError('NOT_FOUND', { message: 'This video has no such image.' })
  if (!isVerified(key)) await verifyObject(key)
  return { bytes: stored.bytes, etag: `"${key.split('/').at(-1)}"`, read: (range) => storage().read(key, range) }
}
