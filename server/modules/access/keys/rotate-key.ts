import type { AccountCtx } from '../../../context.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import type { Scope } from '../../../scopes.ts'
import { record } from '../../audit/record.ts'
import { proveSecondFactor } from '../../identity/sessions/reauthenticate.ts'
import type { ClientInfo } from '../../identity/sign-in/client-ip.ts'
import { type CreatedKey, mintKey } from './create-key.ts'
import { getOwnedKeyForUpdate } from './owned-key.ts'
import { requireKeyManagement } from './permission.ts'
import type { RotateKeyInput } from './schema.ts'

/**
 * Replaces a key with a new one that has the same name, environment, scopes, quota and addresses. A key that expires gets its full lifetime
 * again. The old key is revoked after `overlapSec`. Both share one daily count and one spending cap, so rotating adds no quota. Requires
 * the second factor of a member who has one. Errors: FORBIDDEN, NOT_FOUND, CONFLICT (its state does not allow it: revoked, already rotated,
 * disabled, expired), INVALID_REQUEST at `code`, TOO_MANY_ATTEMPTS.
 */
export async function rotateKey(ctx: AccountCtx, visitor: ClientInfo, { keyId, overlapSec, code }: RotateKeyInput): Promise<CreatedKey> {
  requireKeyManagement(ctx)
  // A code works only once, so check for other refusals before asking for it.
  await db().$transaction((tx) => getOwnedKeyForUpdate(tx, ctx, keyId, 'rotate'))
  await proveSecondFactor(ctx, visitor, code)
  return db().$transaction(async (tx) => {
    await getOwnedKeyForUpdate(tx, ctx, keyId, 'rotate')
    await tx.$executeRaw`
      UPDATE api_key SET revoked_at = service_now() + make_interval(secs => ${overlapSec}), quota_group = COALESCE(quota_group, id)
      WHERE id = ${keyId} AND account_id = ${ctx.accountId}`
    const old = await tx.apiKey.findUniqueOrThrow({ where: { id: keyId, accountId: ctx.accountId } })
    const { name, environment, dailyQuota, allowedIps, quotaGroup } = old
    const lifetime = old.expiresAt && old.expiresAt.getTime() - old.createdAt.getTime()
    const expiresAt = lifetime === null ? null : new Date(serviceNow() + lifetime)
    const created = await mintKey(tx, ctx, {
      name,
      environment,
      scopes: old.scopes as Scope[],
      dailyQuota,
      expiresAt,
      allowedIps,
      quotaGroup,
    })
    await record(tx, ctx, { action: 'key.rotate', subject: keyId, after: { replacedBy: created.id, prefix: created.prefix, overlapSec } })
    return created
  })
}
