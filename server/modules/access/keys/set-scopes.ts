import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { SCOPE_NAMES, type Scope } from '../../../scopes.ts'
import { record } from '../../audit/record.ts'
import { proveSecondFactor } from '../../identity/sessions/reauthenticate.ts'
import type { ClientInfo } from '../../identity/sign-in/client-ip.ts'
import { getOwnedKeyForUpdate } from './owned-key.ts'
import { requireKeyManagement } from './permission.ts'
import type { SetScopesInput } from './schema.ts'

/**
 * Sets a key's scopes, effective at once in every process: statements that issue tokens or change videos check the scope again. Adding a
 * scope requires the second factor of a member who has one. Errors: FORBIDDEN, NOT_FOUND, INVALID_REQUEST at `code`, TOO_MANY_ATTEMPTS,
 * CONFLICT (revoked, or changed from `expected`: `details` has the current ones).
 */
export async function setKeyScopes(ctx: AccountCtx, visitor: ClientInfo, input: SetScopesInput): Promise<void> {
  requireKeyManagement(ctx)
  const { keyId, code } = input
  const [requested, expected] = [inOrder(input.scopes), inOrder(input.expected)]
  const unchanged = async (tx: Tx) => {
    const scopes = inOrder((await getOwnedKeyForUpdate(tx, ctx, keyId, 'edit')).scopes)
    const done = same(scopes, requested)
    if (!done && !same(scopes, expected)) throw changedMeanwhile({ scopes })
    return { scopes, done }
  }
  // A code works only once, so check for other refusals before asking for it.
  const { done } = await db().$transaction(unchanged)
  if (done) return
  if (requested.some((scope) => !expected.includes(scope))) await proveSecondFactor(ctx, visitor, code)
  await db().$transaction(async (tx) => {
    const before = await unchanged(tx)
    if (before.done) return
    await tx.apiKey.update({ where: { id: keyId, accountId: ctx.accountId }, data: { scopes: requested } })
    await record(tx, ctx, { action: 'key.scopes', subject: keyId, before: { scopes: before.scopes }, after: { scopes: requested } })
  })
}

const inOrder = (scopes: readonly string[]): Scope[] => SCOPE_NAMES.filter((name) => scopes.includes(name))
const same = (one: Scope[], other: Scope[]) => one.join() === other.join()
