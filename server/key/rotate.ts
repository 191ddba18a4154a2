import { record } from '../audit/record.ts'
import type { AccountCtx } from '../context.ts'
import { serviceNow } from '../infra/clock.ts'
import { db } from '../infra/db.ts'
import type { Scope } from '../scopes.ts'
import { type CreatedKey, mintKey } from './mint.ts'
import { ownKey } from './own.ts'
import { manages } from './permission.ts'
import type { RotateKeyInput } from './schema.ts'

/**
 * Replaces a key by a new one with the same name, environment, scopes, quota and addresses; one that expires gets its whole lifetime again.
 * The old one keeps working for `overlapSec` and then is revoked by itself, wherever it is used.
 * Errors: FORBIDDEN, NOT_FOUND, CONFLICT (its state does not allow it: revoked, rotated already, disabled, expired).
 */
export async function rotateKey(ctx: AccountCtx, { keyId, overlapSec }: RotateKeyInput): Promise<CreatedKey> {
  manages(ctx)
  return db().$transaction(async (tx) => {
    await ownKey(tx, ctx, keyId, 'rotate')
    await tx.$executeRaw`
      UPDATE api_key SET revoked_at = date_trunc('milliseconds', service_now() + make_interval(secs => ${overlapSec}))
      WHERE id = ${keyId} AND account_id = ${ctx.accountId}`
    const old = await tx.apiKey.findUniqueOrThrow({ where: { id: keyId, accountId: ctx.accountId } })
    const { name, environment, dailyQuota, allowedIps } = old
    const lifetime = old.expiresAt && old.expiresAt.getTime() - old.createdAt.getTime()
    const expiresAt = lifetime === null ? null : new Date(serviceNow() + lifetime)
    const made = await mintKey(tx, ctx, { name, environment, scopes: old.scopes as Scope[], dailyQuota, expiresAt, allowedIps })
    await record(tx, ctx, { action: 'key.rotate', subject: keyId, after: { replacedBy: made.id, prefix: made.prefix, overlapSec } })
    return made
  })
}
