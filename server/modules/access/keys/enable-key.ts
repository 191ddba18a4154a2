import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { getOwnedKeyForUpdate } from './owned-key.ts'
import { requireKeyManagement } from './permission.ts'

/** Enables a disabled key; its value, scopes and limits are unchanged. Errors: FORBIDDEN, NOT_FOUND, CONFLICT (it is not disabled). */
export async function enableKey(ctx: AccountCtx, { keyId }: { keyId: string }): Promise<void> {
  requireKeyManagement(ctx)
  await db().$transaction(async (tx) => {
    await getOwnedKeyForUpdate(tx, ctx, keyId, 'enable')
    await tx.apiKey.update({ where: { id: keyId, accountId: ctx.accountId }, data: { disabledAt: null } })
    await record(tx, ctx, { action: 'key.enable', subject: keyId })
  })
}
