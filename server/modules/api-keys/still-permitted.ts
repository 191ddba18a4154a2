import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database.ts'
import type { Scope } from '../../scopes.ts'
import { isActiveKey } from './active.ts'
import { refusalOf } from './refusal.ts'

const WORKING = `
  SELECT k.scopes FROM api_key k WHERE k.id = $1 AND k.account_id = $2 AND ${isActiveKey('service_clock()')} AND NOT k.suspended FOR SHARE OF k`

/**
 * Checks in the transaction of a change that the calling key still works and has the scope: its row lock makes a committed revocation or
 * narrowing final. Does nothing for other actors. Errors: INVALID_API_KEY, ACCOUNT_SUSPENDED, INSUFFICIENT_SCOPE.
 */
export async function requireStillPermitted(tx: Tx, { accountId, actor }: AccountCtx, scope: Scope): Promise<void> {
  if (actor.kind !== 'key') return
  const [key] = await tx.$queryRawUnsafe<{ scopes: string[] }[]>(WORKING, actor.keyId, accountId)
  if (!key) throw await refusalOf(actor.keyId)
  if (!key.scopes.includes(scope)) throw new ServiceError('INSUFFICIENT_SCOPE', { details: { needs: scope } })
}
