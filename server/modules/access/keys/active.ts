import { LRUCache } from 'lru-cache'
import { ServiceError, scopeMissing } from '../../../errors.ts'
import { services } from '../../../platform/container.ts'
import { query } from '../../../platform/database/database.ts'

/** SQL: when the key in row `k` ends or ended, null for never. LEAST ignores nulls. */
export const KEY_END = 'LEAST(k.revoked_at, k.expires_at)'

/** SQL: whether the key in row `k` works at `clock`: not revoked, not expired, not disabled. The only definition of this rule. */
export const isActiveKey = (clock: 'service_now()' | 'service_clock()') =>
  `(k.disabled_at IS NULL AND (${KEY_END} IS NULL OR ${KEY_END} > ${clock}))`

/** When this process last accepted a request with a key. A mutable field, because every request writes it. */
export interface Accepted {
  /** Milliseconds since 1970 by this process's clock; 0 for never. */
  at: number
}

/** By key ID. Holds more keys than the key cache, because a key's last acceptance is needed after its cache entry is evicted. */
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

const STATE = `
  SELECT suspended, ${isActiveKey('service_clock()')} AND NOT suspended AS works FROM api_key k WHERE id = $1`

/** Returns why a key that worked a moment ago issues nothing now: its account was suspended, it stopped working, or it lost its scope. */
export async function refusalOf(keyId: string): Promise<ServiceError> {
  const [row] = await query<{ suspended: boolean; works: boolean }>('key-refusal', STATE, [keyId])
  if (row?.works) return scopeMissing('video:read')
  return new ServiceError(row?.suspended ? 'ACCOUNT_SUSPENDED' : 'INVALID_API_KEY')
}
