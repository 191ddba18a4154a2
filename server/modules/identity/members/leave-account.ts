import { type AccountCtx, requireUser } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { lockTeam, memberOf, requireAnotherOwner } from './lock-members.ts'
import { endMembership } from './remove-member.ts'

/**
 * Removes the signed-in member from the account, whatever their role. The session continues in another account. Errors: CONFLICT for the
 * last owner.
 */
export async function leaveAccount(ctx: AccountCtx): Promise<void> {
  const { userId } = requireUser(ctx)
  await db().$transaction(async (tx) => {
    const team = await lockTeam(tx, ctx)
    const member = memberOf(team, userId)
    requireAnotherOwner(team, member)
    await endMembership(tx, ctx, member)
    await record(tx, ctx, { action: 'team.leave', subject: userId, before: { email: member.email, role: member.role } })
  })
}
