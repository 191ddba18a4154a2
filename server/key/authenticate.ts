import { hash } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import { NotifiedCache } from '../infra/cache.ts'
import { processWide } from '../infra/process-wide.ts'
import { isKeyValue } from './format.ts'
import { type AuthenticatedKey, keyLookUps } from './look-up.ts'

const cache = () => processWide('key-cache', () => new NotifiedCache<AuthenticatedKey>(50_000, { key: (hash) => hash }))

/** Made once: anybody can have it thrown as often as they like. */
const malformed = Object.freeze(new ServiceError('INVALID_API_KEY', Object.freeze({})))

/**
 * Whose key it is (specification §5): at once when the answer is in memory, without the cost of a promise.
 * Errors: API_KEY_REQUIRED, INVALID_API_KEY.
 */
export function authenticate(value: string | undefined): AuthenticatedKey | Promise<AuthenticatedKey> {
  if (!value) throw new ServiceError('API_KEY_REQUIRED')
  if (!isKeyValue(value)) throw malformed
  const digest = hash('sha256', value)
  const found = cache().get(digest, () => keyLookUps().find(digest))
  return found instanceof Promise ? found.then(working) : working(found)
}

function working(key: AuthenticatedKey | undefined): AuthenticatedKey {
  if (!key || (key.endsAt !== undefined && key.endsAt <= Date.now())) throw new ServiceError('INVALID_API_KEY')
  return key
}
