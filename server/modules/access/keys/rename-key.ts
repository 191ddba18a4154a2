import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { getOwnedKeyForUpdate } from './owned-key.ts'
import { requireKeyManagement } from './permission.ts'
import type { RenameKeyInput } from './schema.ts'

/** Renames a key; requests with it are not affected. Errors: FORBIDDEN, NOT_FOUND, CONFLICT (revoked, or its name differs from `expected`). */
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
