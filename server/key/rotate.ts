import { record } from '../audit/record.ts'
import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import type { Scope } from '../scopes.ts'
import { type CreatedKey, mintKey } from './mint.ts'
import { manages } from './permission.ts'
import type { RotateKeyInput } from './schema.ts'

/**
 * Replaces a key by a new one with the same name, environment, scopes and quota. The old one keeps working for `overlapSec`
 * and then is revoked by itself, wherever it is used. Errors: FORBIDDEN, NOT_FOUND, CONFLICT (revoked, or rotated already).
 */
export async function rotateKey(ctx: AccountCtx, { keyId, overlapSec }: RotateKeyInput): Promise<CreatedKey> {
  manages(ctx)
  return db().$transaction(async (tx) => {
    const ended = await tx.$executeRaw`
      UPDATE api_key SET revoked_at = date_trunc('milliseconds', service_now() + make_interval(secs => ${overlapSec}))
      WHERE id = ${keyId} AND account_id = ${ctx.accountId} AND revoked_at IS NULL`
    const old = await tx.apiKey.findFirst({ where: { id: keyId, accountId: ctx.accountId } })
    if (!old) throw new ServiceError('NOT_FOUND', { message: 'There is no such key in your account.' })
    if (ended === 0)
      throw new ServiceError('CONFLICT', { message: 'This key is revoked or was rotated already. Rotate the key that replaced it.' })
    const { name, environment, dailyQuota } = old
    const made = await mintKey(tx, ctx, { name, environment, scopes: old.scopes as Scope[], dailyQuota })
    await record(tx, ctx, { action: 'key.rotate', subject: keyId, after: { replacedBy: made.id, prefix: made.prefix, overlapSec } })
    return made
  })
}
