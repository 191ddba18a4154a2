import { type AccountCtx, requireStaff } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { mailOwners } from './mail-owners.ts'

/**
 * Restores a suspended account with a reason, for the operator and support staff: keys, playback and webhooks work as before. Errors:
 * FORBIDDEN, CONFLICT when it is not suspended.
 */
export async function restoreAccount(ctx: AccountCtx, { reason }: { reason: string }): Promise<void> {
  requireStaff(ctx)
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM api_key WHERE account_id = ${accountId} ORDER BY id FOR NO KEY UPDATE`
    const [before] = await tx.$queryRaw<{ reason: string | null; since: Date | null }[]>`
      SELECT suspension_reason AS reason, suspended_at AS since FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
    if (!before?.since) throw new ServiceError('CONFLICT', { message: 'This account is not suspended.' })
    await tx.$executeRaw`UPDATE account SET suspended_at = NULL, suspension_reason = NULL WHERE id = ${accountId}`
    const suspended = { since: before.since.toISOString(), reason: before.reason }
    await record(tx, ctx, { action: 'support.restore', subject: accountId, before: suspended, after: { reason } })
    await mailOwners(tx, accountId, (name) => ({
      subject: `Your account “${name}” was restored`,
      text: `The account “${name}” was restored and is fully available again.\n\nReason: ${reason}`,
    }))
  })
}
