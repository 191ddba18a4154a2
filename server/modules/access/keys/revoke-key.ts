import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { requireKeyManagement } from './permission.ts'

/**
 * Revokes a key permanently. Once this resolves, no process issues a token with it: the granting statement checks the revocation
 * (server/modules/access/quotas/daily-quota.ts); caches are invalidated by a notification. Idempotent. Errors: FORBIDDEN, NOT_FOUND.
 */
export async function revokeKey(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<void> {
  requireKeyManagement(ctx)
  await db().$transaction(async (tx) => {
    const changed = await tx.$executeRaw`
      UPDATE api_key SET revoked_at = service_now()
      WHERE id = ${keyId} AND account_id = ${ctx.accountId} AND (revoked_at IS NULL OR revoked_at > service_now())`
    if (changed > 0) return record(tx, ctx, { action: 'key.revoke', subject: keyId })
    const there = await tx.apiKey.count({ where: { id: keyId, accountId: ctx.accountId } })
    if (there === 0) throw new ServiceError('NOT_FOUND', { message: 'No such key exists in your account.' })
  })
}
