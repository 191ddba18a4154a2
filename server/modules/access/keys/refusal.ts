import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { isActiveKey } from './active.ts'

const STATE = `
  SELECT suspended, ${isActiveKey('service_clock()')} AND NOT suspended AS works FROM api_key k WHERE id = $1`

/** Returns why a key that worked shortly before issues nothing now: its account was suspended, it stopped working, or it lost its scope. */
export async function refusalOf(keyId: string): Promise<ServiceError> {
  const [row] = await query<{ suspended: boolean; works: boolean }>('key-refusal', STATE, [keyId])
  if (row?.works) return new ServiceError('INSUFFICIENT_SCOPE', { details: { needs: 'video:read' } })
  return new ServiceError(row?.suspended ? 'ACCOUNT_SUSPENDED' : 'INVALID_API_KEY')
}
