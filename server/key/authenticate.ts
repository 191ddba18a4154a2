import { hash } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import { NotifiedCache } from '../infra/cache.ts'
import { processWide } from '../infra/process-wide.ts'
import { isKeyValue } from './format.ts'
import { type AuthenticatedKey, keyLookUps } from './look-up.ts'

const cache = () => processWide('key-cache', () => new NotifiedCache<AuthenticatedKey>(50_000, { key: (hash) => hash }))

/** Whose key it is (specification §5). Errors: API_KEY_REQUIRED, INVALID_API_KEY. */
export async function authenticate(value: string | undefined): Promise<AuthenticatedKey> {
  if (!value) throw new ServiceError('API_KEY_REQUIRED')
  if (!isKeyValue(value)) throw new ServiceError('INVALID_API_KEY')
  const digest = hash('sha256', value)
  const key = await cache().get(digest, () => keyLookUps().find(digest))
  if (!key || (key.endsAt !== undefined && key.endsAt <= Date.now())) throw new ServiceError('INVALID_API_KEY')
  return key
}
