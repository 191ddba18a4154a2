import type { AccountCtx } from '../../context.ts'
import { db, query } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'

/** An account's completed first steps, and whether the requesting member sees them. */
export interface FirstSteps {
  /** False once the member hid or completed all of them; never true again. */
  shown: boolean
  uploaded: boolean
  key: boolean
  /** A request with a key has arrived. */
  called: boolean
  /** A player has shown a first frame. */
  played: boolean
  /** The newest video that plays, for the call that issues a first token. */
  playableVideoId: string | null
}

/** Returns the account's first steps. Must be cheap: a page polls it every two seconds. */
export async function firstSteps(ctx: AccountCtx): Promise<FirstSteps> {
  const userId = ctx.actor.kind === 'user' ? ctx.actor.userId : ''
  const [row] = await query<FirstSteps>('first-steps', STEPS, [ctx.accountId, userId])
  return row as FirstSteps
}

const STEPS = `
  SELECT EXISTS (SELECT 1 FROM membership WHERE account_id = $1 AND user_id = $2 AND first_steps_done_at IS NULL) AS shown,
    EXISTS (SELECT 1 FROM video WHERE account_id = $1) AS uploaded,
    EXISTS (SELECT 1 FROM api_key WHERE account_id = $1) AS key,
    EXISTS (SELECT 1 FROM api_key WHERE account_id = $1 AND request_count > 0) AS called,
    EXISTS (SELECT 1 FROM account_viewer_day WHERE account_id = $1 AND plays > 0) AS played,
    (SELECT id FROM video WHERE account_id = $1 AND status = 'COMPLETED' AND deleted_at IS NULL
      ORDER BY created_at DESC, id LIMIT 1) AS "playableVideoId"`

/** Hides the first steps for this member of this account, permanently. Repeating it changes nothing. */
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
