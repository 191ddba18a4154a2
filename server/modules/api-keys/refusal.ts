import { ServiceError } from '../../errors.ts'
import { query } from '../../platform/database.ts'

/** Returns why a key that worked shortly before issues nothing now: its account was suspended, or the key itself stopped working. */
export async function refusalOf(keyId: string): Promise<ServiceError> {
  const [row] = await query<{ suspended: boolean }>('key-is-suspended', 'SELECT suspended FROM api_key WHERE id = $1', [keyId])
  return new ServiceError(row?.suspended ? 'ACCOUNT_SUSPENDED' : 'INVALID_API_KEY')
}
