import { type AccountCtx, requirePermission } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import type { RenameAccountInput } from './schema.ts'

/** Renames the account. Errors: FORBIDDEN unless the actor is an owner, CONFLICT when its name is no longer the one `expected`. */
export async function renameAccount(ctx: AccountCtx, { name, expected }: RenameAccountInput): Promise<void> {
  requirePermission(ctx, 'settings.change')
  await db().$transaction(async (tx) => {
    const [before] = await tx.$queryRaw<[{ name: string }]>`SELECT name FROM account WHERE id = ${ctx.accountId} FOR UPDATE`
    if (before.name === name) return
    if (expected !== undefined && before.name !== expected) throw changedMeanwhile({ name: before.name })
    await tx.account.update({ where: { id: ctx.accountId }, data: { name } })
    await record(tx, ctx, { action: 'account.rename', subject: ctx.accountId, before: { name: before.name }, after: { name } })
  })
}
