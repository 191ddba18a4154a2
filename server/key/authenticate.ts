import { hash } from 'node:crypto'
import type { AccountId } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { NotifiedCache } from '../infra/cache.ts'
import { query } from '../infra/db.ts'
import { processWide } from '../infra/process-wide.ts'
import type { Scope } from '../scopes.ts'
import { isKeyValue } from './format.ts'

/** A working key, as the REST surface needs it. */
export interface AuthenticatedKey {
  id: string
  accountId: AccountId
  scopes: readonly Scope[]
  environment: 'LIVE' | 'TEST'
  /** Milliseconds since 1970 at which it stops working, for one that is being rotated out. */
  endsAt: number | undefined
}

const cache = () => processWide('key-cache', () => new NotifiedCache<AuthenticatedKey>(50_000, { key: (hash) => hash }))

/** Whose key it is (specification §5). Errors: API_KEY_REQUIRED, INVALID_API_KEY. */
export async function authenticate(value: string | undefined): Promise<AuthenticatedKey> {
  if (!value) throw new ServiceError('API_KEY_REQUIRED')
  if (!isKeyValue(value)) throw new ServiceError('INVALID_API_KEY')
  const digest = hash('sha256', value)
  const key = await cache().get(digest, () => load(digest))
  if (!key || (key.endsAt !== undefined && key.endsAt <= Date.now())) throw new ServiceError('INVALID_API_KEY')
  return key
}

interface Row {
  id: string
  account_id: string
  scopes: Scope[]
  environment: 'LIVE' | 'TEST'
  ends_in_ms: number | null
}

async function load(digest: string): Promise<AuthenticatedKey | undefined> {
  const [row] = await query<Row>(
    'key-by-hash',
    `SELECT id, account_id, scopes, environment, (extract(epoch FROM revoked_at - service_now()) * 1000)::float8 AS ends_in_ms
     FROM api_key WHERE hash = decode($1, 'hex') AND (revoked_at IS NULL OR revoked_at > service_now())`,
    [digest],
  )
  if (!row) return undefined
  // Counted from the database's "now", so that this process's clock may be wrong.
  const endsAt = row.ends_in_ms === null ? undefined : Date.now() + row.ends_in_ms
  return { id: row.id, accountId: row.account_id as AccountId, scopes: row.scopes, environment: row.environment, endsAt }
}
