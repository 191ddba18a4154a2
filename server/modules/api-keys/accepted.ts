import { LRUCache } from 'lru-cache'
import { processWide } from '../../platform/process-wide.ts'

/** When this process last let a request with a key through. Written with every request, so it is a field and nothing more. */
export interface Accepted {
  /** Milliseconds since 1970 by this process's clock; 0 for never. */
  at: number
}

/** By key id, and for more keys than the cache of keys holds: what is asked of a key outlasts its entry there. */
const all = () => processWide('keys-accepted', () => new LRUCache<string, Accepted>({ max: 100_000 }))

/** The one mark of this key in this process. */
export function acceptedOf(keyId: string): Accepted {
  const held = all().get(keyId)
  if (held) return held
  const made = { at: 0 }
  all().set(keyId, made)
  return made
}
