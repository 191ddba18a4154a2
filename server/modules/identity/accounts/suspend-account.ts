import { type AccountCtx, requireStaff } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { mailOwners } from './mail-owners.ts'

/**
 * Suspends an account with a reason, for the operator and support staff. Once this resolves, no process issues a token with its keys; API,
 * playback and webhooks are invalidated by notification. Members can sign in and read the reason, but change nothing. Errors: FORBIDDEN,
 * CONFLICT when it is suspended already.
 */
export async function suspendAccount(ctx: AccountCtx, { reason }: { reason: string }): Promise<void> {
  requireStaff(ctx)
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    // Locks keys in id order before their account, as everywhere: running grants commit first, and later ones see the suspension.
    await tx.$queryRaw`SELECT 1 FROM api_key WHERE account_id = ${accountId} ORDER BY id FOR NO KEY UPDATE`
    const changed = await tx.$executeRaw`
      UPDATE account SET suspended_at = service_clock(), suspension_reason = ${reason} WHERE id = ${accountId} AND suspended_at IS NULL`
    if (changed === 0) throw new ServiceError('CONFLICT', { message: 'This account is already suspended.' })
    await record(tx, ctx, { action: 'support.suspend', subject: accountId, after: { reason } })
    await mailOwners(tx, accountId, (name) => ({
      subject: `Your account “${name}” was suspended`,
      text: `The account “${name}” was suspended.\n\nReason: ${reason}\n\nIts API keys are rejected and its videos cannot be played. You can still sign in and view everything, but you cannot make changes.`,
    }))
  })
}
