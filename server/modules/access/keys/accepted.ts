import { LRUCache } from 'lru-cache'
import { services } from '../../../platform/container.ts'

/** When this process last accepted a request with a key. A mutable field, because every request writes it. */
export interface Accepted {
  /** Milliseconds since 1970 by this process's clock; 0 for never. */
  at: number
}

/** By key id. Has capacity for more keys than the key cache, because a key's last acceptance is needed after its cache entry is evicted. */
export const makeAcceptedKeys = () => new LRUCache<string, Accepted>({ max: 100_000 })
const entries = () => services().acceptedKeys

declare module '../../../platform/container.ts' {
  interface Services {
    acceptedKeys: LRUCache<string, Accepted>
  }
}

/** Returns the single record of this key in this process. */
export function acceptedOf(keyId: string): Accepted {
  const held = entries().get(keyId)
  if (held) return held
  const created = { at: 0 }
  entries().set(keyId, created)
  return created
}
