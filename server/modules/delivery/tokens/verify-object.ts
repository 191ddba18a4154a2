import { LRUCache } from 'lru-cache'
import { services } from '../../../platform/container.ts'
import { hashObject } from '../../media/hash-object.ts'
import { hashNameOf, refuseDamaged } from '../../videos/media-faults.ts'

/** How long a process assumes that an object it verified has not changed: hashing each read costs as much as sending it. */
const TRUSTED_MS = 3_600_000

declare module '../../../platform/container.ts' {
  interface Services {
    /** Keys of objects that this process verified within the last hour. */
    verifiedObjects: LRUCache<string, true>
  }
}

export const makeVerifiedObjects = () => new LRUCache<string, true>({ max: 100_000, ttl: TRUSTED_MS })

/** Returns whether this process verified an object within the last hour. */
export const isVerified = (key: string): boolean => services().verifiedObjects.has(key)

/**
 * Reads an object and compares its hash with its name. Calls `onPart` with each chunk. Errors: SERVICE_UNAVAILABLE for a damaged one, which
 * is reported; StorageError.
 */
export async function verifyObject(key: string, onPart?: (part: Uint8Array) => void): Promise<void> {
  const { hash } = await hashObject(key, { onPart: (part) => void onPart?.(part) })
  if (!hash.startsWith(hashNameOf(key))) {
    services().verifiedObjects.delete(key)
    throw refuseDamaged(key)
  }
  services().verifiedObjects.set(key, true)
}
