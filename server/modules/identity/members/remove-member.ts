import { type AccountCtx, requirePermission } from '../../../context.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { createAccount } from '../accounts/create-account.ts'
import { type LockedMember, lockTeam, memberOf, requireAnotherOwner, requireTeamPermission } from './lock-members.ts'
import type { MemberInput } from './member-schema.ts'

/**
 * Removes a member from the account: their next request is refused, and their open streams end. Keys they created remain valid. Errors:
 * FORBIDDEN, NOT_FOUND, CONFLICT for the last owner.
 */
export async function removeMember(ctx: AccountCtx, { userId }: MemberInput): Promise<void> {
  requirePermission(ctx, 'team.change')
  await db().$transaction(async (tx) => {
    const team = await lockTeam(tx, ctx)
    requireTeamPermission(ctx, team)
    const member = memberOf(team, userId)
    requireAnotherOwner(team, member)
    await endMembership(tx, ctx, member)
    await record(tx, ctx, { action: 'team.remove', subject: userId, before: { email: member.email, role: member.role } })
  })
}

/** Ends a membership. Creates an account for a user without another one, because they could otherwise neither sign in nor sign up again. */
export async function endMembership(tx: Tx, ctx: AccountCtx, { userId, email }: LockedMember): Promise<void> {
  await tx.membership.delete({ where: { accountId_userId: { accountId: ctx.accountId, userId } } })
  // Serializes concurrent removals from other accounts, so that the second sees that it is the last membership.
  await tx.$queryRaw`SELECT 1 FROM app_user WHERE id = ${userId} FOR NO KEY UPDATE`
  if ((await tx.membership.count({ where: { userId } })) === 0) await createAccount(tx, { userId, email })
}
