import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { MAX_KEYS } from './schema.ts'

/**
 * Refuses a further key when the account has the maximum. Locks the account's row until the transaction ends, so that of two concurrent
 * requests for the last key one is refused. Errors: CONFLICT with `details.limit`.
 */
export async function requireKeySlot(tx: Tx, { accountId }: Pick<AccountCtx, 'accountId'>): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const [row] = await tx.$queryRaw<[{ keys: number }]>`
    SELECT count(*)::int AS keys FROM api_key
    WHERE account_id = ${accountId} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > service_clock())`
  if (row.keys < MAX_KEYS) return
  const message = `Your account has reached the limit of ${MAX_KEYS} keys. Revoke an unused key, then try again.`
  throw new ServiceError('CONFLICT', { message, details: { limit: MAX_KEYS } })
}
