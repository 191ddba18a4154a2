import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { getOwnedKeyForUpdate } from './owned-key.ts'
import { requireKeyManagement } from './permission.ts'

/**
 * Revokes a key permanently. Once this resolves, no process issues a token with it: the granting statement checks the revocation
 * (server/modules/access/quotas/daily-quota.ts), and a notice invalidates caches. Idempotent. Errors: FORBIDDEN, NOT_FOUND.
 */
export async function revokeKey(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<void> {
  requireKeyManagement(ctx)
  await db().$transaction(async (tx) => {
    const changed = await tx.$executeRaw`
      UPDATE api_key SET revoked_at = service_now()
      WHERE id = ${keyId} AND account_id = ${ctx.accountId} AND (revoked_at IS NULL OR revoked_at > service_now())`
    if (changed > 0) return record(tx, ctx, { action: 'key.revoke', subject: keyId })
    const there = await tx.apiKey.count({ where: { id: keyId, accountId: ctx.accountId } })
    if (there === 0) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such key.' })
  })
}

/**
 * Disables a key: it is refused like a revoked one, but can be enabled again. Once this resolves, no process issues a token with it, as
 * after a revocation. Errors: FORBIDDEN, NOT_FOUND, CONFLICT (its state does not allow it).
 */
export async function disableKey(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<void> {
  requireKeyManagement(ctx)
  await db().$transaction((tx) => disableKeyIn(tx, ctx, { keyId }))
}

/**
 * Disables a key in the transaction of a caller who checked the permission, and returns its name. Stores `reason` in the audit log. Errors:
 * NOT_FOUND, CONFLICT.
 */
export async function disableKeyIn(tx: Tx, ctx: AccountCtx, { keyId, reason }: KeyChange): Promise<string> {
  const { name } = await getOwnedKeyForUpdate(tx, ctx, keyId, 'disable')
  await tx.$executeRaw`
    UPDATE api_key SET disabled_at = service_now() WHERE id = ${keyId} AND account_id = ${ctx.accountId}`
  await record(tx, ctx, { action: 'key.disable', subject: keyId, ...(reason !== undefined && { after: { reason } }) })
  return name
}

interface KeyChange {
  keyId: string
  reason?: string
}

/** Enables a disabled key. Its value, scopes and limits stay the same. Errors: FORBIDDEN, NOT_FOUND, CONFLICT (it is not disabled). */
export async function enableKey(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<void> {
  requireKeyManagement(ctx)
  await db().$transaction((tx) => enableKeyIn(tx, ctx, { keyId }))
}

/** Enables a key as `disableKeyIn` disables it. */
export async function enableKeyIn(tx: Tx, ctx: AccountCtx, { keyId, reason }: KeyChange): Promise<string> {
  const { name } = await getOwnedKeyForUpdate(tx, ctx, keyId, 'enable')
  await tx.apiKey.update({ where: { id: keyId, accountId: ctx.accountId }, data: { disabledAt: null } })
  await record(tx, ctx, { action: 'key.enable', subject: keyId, ...(reason !== undefined && { after: { reason } }) })
  return name
}

/** SQL: the ID of the rotation chain of the key in row `k`; the key's own ID if it was never rotated. */
export const CHAIN = 'COALESCE(k.quota_group, k.id)'

/**
 * SQL: an array of the IDs of a key and of all keys that it replaced, or that replaced it, by rotation. `key` and `account` are the
 * parameters with the key's ID and its account's. Empty for another account's key.
 */
export const chainOf = (key: string, account: string) => `ARRAY(
    SELECT member.id FROM api_key one JOIN api_key member
      ON member.account_id = one.account_id AND (member.id = one.id OR member.quota_group = one.quota_group)
    WHERE one.id = ${key} AND one.account_id = ${account})`
