import { type AccountCtx, requirePermission } from '../../context.ts'
import { changedMeanwhile } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import type { PlaysEarlyInput } from './schema.ts'

/**
 * Sets whether the account's videos can be watched while they are transcoded: no token is issued or exchanged for such a video otherwise;
 * sessions that are open go on. Errors: FORBIDDEN unless the actor is an owner, CONFLICT when it was changed since it was `expected`
 * (`details` has the current value).
 */
export async function setPlaysEarly(ctx: AccountCtx, { playsEarly, expected }: PlaysEarlyInput): Promise<void> {
  requirePermission(ctx, 'settings.change')
  await db().$transaction(async (tx) => {
    const [before] = await tx.$queryRaw<[{ playsEarly: boolean }]>`
      SELECT plays_early AS "playsEarly" FROM account WHERE id = ${ctx.accountId} FOR UPDATE`
    if (before.playsEarly === playsEarly) return
    if (expected !== undefined && before.playsEarly !== expected) throw changedMeanwhile(before)
    await tx.account.update({ where: { id: ctx.accountId }, data: { playsEarly } })
    await record(tx, ctx, { action: 'account.playsEarly', subject: ctx.accountId, before, after: { playsEarly } })
  })
}
