import { ServiceError } from '../../../errors.ts'
import type { Tx } from '../../../platform/database/database.ts'

const PAST = 'This date is in the past. Choose a later date, or disable the key instead.'

/** Refuses an expiry that is not in the future by the database's clock. Errors: INVALID_REQUEST with `details` for the form field. */
export async function requireFutureExpiry(tx: Tx, expiresAt: Date | null | undefined): Promise<void> {
  if (!expiresAt) return
  const [row] = await tx.$queryRaw<[{ ahead: boolean }]>`SELECT ${expiresAt}::timestamptz > service_clock() AS ahead`
  if (row.ahead) return
  throw new ServiceError('INVALID_REQUEST', { message: PAST, details: [{ in: 'body', path: 'expiresAt', message: PAST }] })
}
