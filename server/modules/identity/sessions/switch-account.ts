import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import type { SwitchAccountInput } from '../members/member-schema.ts'

const SWITCH = `
  UPDATE user_session SET account_id = $1
  WHERE id = $2 AND user_id = $3 AND EXISTS (SELECT 1 FROM membership WHERE account_id = $1 AND user_id = $3) RETURNING id`

/** Switches this session to another account of the user. Errors: NOT_FOUND for an account without membership. */
export async function switchAccount(ctx: AccountCtx, { accountId }: SwitchAccountInput): Promise<void> {
  const { userId, sessionId } = requireUser(ctx)
  const switched = await query('session-switch', SWITCH, [accountId, sessionId ?? null, userId])
  if (switched.length === 0) throw new ServiceError('NOT_FOUND', { message: 'You are not a member of this account.' })
}
