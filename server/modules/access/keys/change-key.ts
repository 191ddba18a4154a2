import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { requireFutureExpiry, requireKeySlot } from './create-key.ts'
import { canonicalRange } from './ip-ranges.ts'
import { getOwnedKeyForUpdate } from './owned-key.ts'
import { requireKeyManagement } from './permission.ts'
import type { RenameKeyInput, RestrictKeyInput } from './schema.ts'

/**
 * Renames a key without affecting requests with it. Errors: FORBIDDEN, NOT_FOUND, CONFLICT (revoked, or its name differs from `expected`).
 */
export async function renameKey(ctx: AccountCtx, { keyId, name, expected }: RenameKeyInput): Promise<void> {
  requireKeyManagement(ctx)
  await db().$transaction(async (tx) => {
    const before = await getOwnedKeyForUpdate(tx, ctx, keyId, 'edit')
    if (before.name === name) return
    if (expected !== undefined && before.name !== expected) throw changedMeanwhile({ name: before.name })
    await tx.apiKey.update({ where: { id: keyId, accountId: ctx.accountId }, data: { name } })
    await record(tx, ctx, { action: 'key.rename', subject: keyId, before: { name: before.name }, after: { name } })
  })
}

/**
 * Sets a key's expiry and allowed networks, effective at once in every process. Errors: FORBIDDEN, NOT_FOUND, INVALID_REQUEST (the expiry
 * is in the past), CONFLICT (revoked; too many keys to reactivate an expired one; or changed from `expected`: `details` has the current
 * values).
 */
export async function restrictKey(ctx: AccountCtx, { keyId, expiresAt, allowedIps, expected }: RestrictKeyInput): Promise<void> {
  requireKeyManagement(ctx)
  const requested = limits(expiresAt, [...new Set(allowedIps.map(canonicalRange))])
  await db().$transaction(async (tx) => {
    const key = await getOwnedKeyForUpdate(tx, ctx, keyId, 'edit')
    const before = limits(key.expiresAt, key.allowedIps)
    if (same(before, requested)) return
    if (!same(before, limits(expected.expiresAt, expected.allowedIps))) throw changedMeanwhile(before)
    if (requested.expiresAt !== before.expiresAt) await requireFutureExpiry(tx, expiresAt)
    if (key.state === 'EXPIRED') await requireKeySlot(tx, ctx)
    await tx.apiKey.update({ where: { id: keyId, accountId: ctx.accountId }, data: { expiresAt, allowedIps: requested.allowedIps } })
    await record(tx, ctx, { action: 'key.restrict', subject: keyId, before, after: requested })
  })
}

const limits = (expiresAt: Date | null, allowedIps: string[]) => ({ expiresAt: expiresAt?.toISOString() ?? null, allowedIps })
const same = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other)
