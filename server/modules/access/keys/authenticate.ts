import { hash } from 'node:crypto'
import { ServiceError } from '../../../errors.ts'
import { NotifiedCache } from '../../../platform/cache.ts'
import { services } from '../../../platform/container.ts'
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts'
import { isKeyValue } from './format.ts'
import { type AuthenticatedKey, keyLookUps } from './look-up.ts'

declare module '../../../platform/container.ts' {
  interface Services {
    /** By the hash of the key. */
    keys: NotifiedCache<AuthenticatedKey>
  }
}

const cache = () => services().keys

export const makeKeys = () => new NotifiedCache<AuthenticatedKey>('keys', 50_000, { key: (hash) => hash })

/** Allocated once, because unauthenticated requests can trigger it at any rate. */
const malformed = Object.freeze(new ServiceError('INVALID_API_KEY', Object.freeze({})))

/** Returns the key with this value (specification §5). Errors: API_KEY_REQUIRED, INVALID_API_KEY. */
export function authenticate(value: string | undefined): MaybePromise<AuthenticatedKey> {
  if (!value) throw new ServiceError('API_KEY_REQUIRED')
  if (!isKeyValue(value)) throw malformed
  return andThen(held(hash('sha256', value)), requireActive)
}

const held = (digest: string) => cache().get(digest, () => keyLookUps().find(digest))

function requireActive(key: AuthenticatedKey | undefined): AuthenticatedKey {
  const now = Date.now()
  if (!works(key, now)) throw new ServiceError('INVALID_API_KEY')
  key.accepted.at = now
  return key
}

const works = (key: AuthenticatedKey | undefined, now: number): key is AuthenticatedKey =>
  key !== undefined && (key.endsAt === undefined || key.endsAt > now)

/**
 * Returns whether a request with the key of this hash (SHA-256, hexadecimal) would be refused now, on the same path as a request. When this
 * resolves, lookups that started earlier are complete.
 */
export async function isRefused(digest: string): Promise<boolean> {
  return !works(await held(digest), Date.now())
}
