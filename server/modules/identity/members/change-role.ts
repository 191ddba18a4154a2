import { type AccountCtx, requirePermission } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { lockTeam, memberOf, requireAnotherOwner, requireTeamPermission } from './lock-members.ts'
import type { ChangeRoleInput } from './member-schema.ts'

/**
 * Changes a member's role, effective from their next request. Errors: FORBIDDEN, NOT_FOUND, CONFLICT for the last owner, and when the role
 * is not the one `expected`.
 */
export async function changeRole(ctx: AccountCtx, { userId, role, expected }: ChangeRoleInput): Promise<void> {
  requirePermission(ctx, 'team.change')
  await db().$transaction(async (tx) => {
    const team = await lockTeam(tx, ctx)
    requireTeamPermission(ctx, team)
    const member = memberOf(team, userId)
    if (member.role === role) return
    if (expected && member.role !== expected) throw changedMeanwhile({ role: member.role })
    requireAnotherOwner(team, member)
    await tx.membership.update({ where: { accountId_userId: { accountId: ctx.accountId, userId } }, data: { role } })
    const { email } = member
    await record(tx, ctx, { action: 'team.role', subject: userId, before: { email, role: member.role }, after: { email, role } })
  })
}
