import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'

/** Hides the first steps permanently for this member of this account. Repeating it changes nothing. */
export async function firstStepsDone(ctx: AccountCtx): Promise<void> {
  const { actor, accountId } = ctx
  if (actor.kind !== 'user') return
  await db().$transaction(async (tx) => {
    const changed = await tx.$executeRaw`
      UPDATE membership SET first_steps_done_at = service_now()
      WHERE account_id = ${accountId} AND user_id = ${actor.userId} AND first_steps_done_at IS NULL`
    if (changed > 0) await record(tx, ctx, { action: 'account.firstSteps', subject: actor.userId })
  })
}
