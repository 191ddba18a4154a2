import type { AccountCtx } from '../../../context.ts'
import { scopeMissing } from '../../../errors.ts'
import type { Tx } from '../../../platform/database/database.ts'
import type { Scope } from '../../../scopes.ts'
import { isActiveKey, refusalOf } from './active.ts'

/** `await_key_changes` (prisma/routines) is the other side. */
const LOCK = 'SELECT 1 FROM pg_advisory_xact_lock_shared(1, hashtext($1))'

const WORKING = `
  SELECT k.scopes FROM api_key k WHERE k.id = $1 AND k.account_id = $2 AND ${isActiveKey('service_clock()')} AND NOT k.suspended`

/**
 * Checks, first in the transaction of a change, that the calling key still works and has the scope. Its lock makes a committed revocation
 * or loss of scope final: the revocation waits for changes in progress, and none starts afterwards. Does nothing for other actors. Errors:
 * INVALID_API_KEY, ACCOUNT_SUSPENDED, INSUFFICIENT_SCOPE.
 */
export async function requireStillPermitted(tx: Tx, { accountId, actor }: AccountCtx, scope: Scope): Promise<void> {
  if (actor.kind !== 'key') return
  await tx.$queryRawUnsafe(LOCK, actor.keyId)
  // A separate statement, which sees what was committed while waiting for the lock.
  const [key] = await tx.$queryRawUnsafe<{ scopes: string[] }[]>(WORKING, actor.keyId, accountId)
  if (!key) throw await refusalOf(actor.keyId)
  if (!key.scopes.includes(scope)) throw scopeMissing(scope)
}
