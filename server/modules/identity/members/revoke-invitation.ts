import { type AccountCtx, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import type { InvitationIdInput } from './member-schema.ts'

/** Withdraws an invitation, which invalidates its link. Errors: FORBIDDEN, NOT_FOUND (also when it was accepted or withdrawn). */
export async function revokeInvitation(ctx: AccountCtx, { invitationId }: InvitationIdInput): Promise<void> {
  requirePermission(ctx, 'team.change')
  await db().$transaction(async (tx) => {
    const [ended] = await tx.$queryRaw<{ email: string; role: string }[]>`
      UPDATE invitation SET ended_at = service_now()
      WHERE id = ${invitationId} AND account_id = ${ctx.accountId} AND ended_at IS NULL RETURNING email, role::text`
    if (!ended) throw new ServiceError('NOT_FOUND', { message: 'This invitation was already accepted or withdrawn.' })
    await record(tx, ctx, { action: 'team.invite.revoke', subject: invitationId, before: { email: ended.email, role: ended.role } })
  })
}
