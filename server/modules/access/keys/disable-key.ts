import type { AccountCtx } from '../../../context.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { getOwnedKeyForUpdate } from './owned-key.ts'
import { requireKeyManagement } from './permission.ts'

/**
 * Disables a key: it is refused like a revoked one, but can be enabled again. Once this resolves, no process issues a token with it, as
 * after a revocation (revoke-key.ts). Errors: FORBIDDEN, NOT_FOUND, CONFLICT (its state does not allow it).
 */
export async function disableKey(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<void> {
  requireKeyManagement(ctx)
  await db().$transaction((tx) => disableKeyIn(tx, ctx, { keyId }))
}

/** Disables a key in a transaction of the caller, who checked the permission. `reason` is stored in the audit log. Errors: NOT_FOUND, CONFLICT. */
export async function disableKeyIn(tx: Tx, ctx: AccountCtx, { keyId, reason }: { keyId: string; reason?: string }): Promise<void> {
  await getOwnedKeyForUpdate(tx, ctx, keyId, 'disable')
  await tx.$executeRaw`
    UPDATE api_key SET disabled_at = service_now() WHERE id = ${keyId} AND account_id = ${ctx.accountId}`
  await record(tx, ctx, { action: 'key.disable', subject: keyId, ...(reason !== undefined && { after: { reason } }) })
}
