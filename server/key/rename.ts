import { record } from '../audit/record.ts'
import type { AccountCtx } from '../context.ts'
import { db } from '../infra/db.ts'
import { ownKey } from './own.ts'
import { manages } from './permission.ts'

/** Gives a key another name; nothing that uses it notices. Errors: FORBIDDEN, NOT_FOUND, CONFLICT (revoked). */
export async function renameKey(ctx: AccountCtx, { keyId, name }: { keyId: string; name: string }): Promise<void> {
  manages(ctx)
  await db().$transaction(async (tx) => {
    const before = await ownKey(tx, ctx, keyId, 'edit')
    if (before.name === name) return
    await tx.apiKey.update({ where: { id: keyId, accountId: ctx.accountId }, data: { name } })
    await record(tx, ctx, { action: 'key.rename', subject: keyId, before: { name: before.name }, after: { name } })
  })
}
