import { type AccountCtx, requirePermission } from '../../context.ts'
import { db, type Tx } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { createAccount } from './create-account.ts'
import { type LockedMember, lockTeam, memberOf, notLastOwner, stillChangesTeam } from './lock-members.ts'
import type { MemberInput } from './member-schema.ts'

/**
 * Takes a member out of the account: their next request is refused, and the streams they hold open end. Keys they made go on working.
 * Errors: FORBIDDEN, NOT_FOUND, CONFLICT for the last owner.
 */
export async function removeMember(ctx: AccountCtx, { userId }: MemberInput): Promise<void> {
  requirePermission(ctx, 'team.change')
  await db().$transaction(async (tx) => {
    const team = await lockTeam(tx, ctx)
    stillChangesTeam(ctx, team)
    const member = memberOf(team, userId)
    notLastOwner(team, member)
    await part(tx, ctx, member)
    await record(tx, ctx, { action: 'team.remove', subject: userId, before: { email: member.email, role: member.role } })
  })
}

/** Ends a membership. Somebody who has no other account gets one of their own, or they could neither sign in nor sign up again. */
export async function part(tx: Tx, ctx: AccountCtx, { userId, email }: LockedMember): Promise<void> {
  await tx.membership.delete({ where: { accountId_userId: { accountId: ctx.accountId, userId } } })
  // Their other memberships may be ending at the same time: of two that go, the second must see that it is the last.
  await tx.$queryRaw`SELECT 1 FROM app_user WHERE id = ${userId} FOR NO KEY UPDATE`
  if ((await tx.membership.count({ where: { userId } })) === 0) await createAccount(tx, { userId, email })
}
