import { type AccountCtx, hasPermission, requirePermission, requireUser } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import type { Role } from '../../../permissions.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { isMailConfigured } from '../../../platform/mail.ts'
import { record } from '../../audit/record.ts'
import { createAccount } from '../accounts/change-account.ts'
import type { ChangeRoleInput, MemberInput } from './member-schema.ts'

export interface Member {
  userId: string
  email: string
  role: Role
  since: Date
  /** To the minute. Null before their first request in this account. */
  lastSeenAt: Date | null
  /** Whether they have a second factor. Null for callers who may not change the team. */
  secondFactor: boolean | null
  /** Whether it is the caller. */
  you: boolean
}

export interface OpenInvitation {
  id: string
  email: string
  role: Role
  /** Email of the inviter. */
  invitedBy: string
  createdAt: Date
  expiresAt: Date
  expired: boolean
  /** `link`: shown to the inviter once. Otherwise the state of the email: `undelivered` if the mail server refused the last attempt. */
  delivery: 'link' | 'sending' | 'retrying' | 'undelivered' | 'sent'
}

export interface Team {
  /** Owners first, then by role and time of joining. */
  members: Member[]
  /** Neither accepted nor withdrawn, newest first. */
  invitations: OpenInvitation[]
  /** Whether new invitations are emailed. */
  mails: boolean
  mayChange: boolean
  /** Whether members without a second factor can open nothing but its setup. */
  requiresSecondFactor: boolean
}

/** Returns the account's members and open invitations, without links or their hashes. */
export async function listTeam(ctx: AccountCtx): Promise<Team> {
  const self = ctx.actor.kind === 'user' ? ctx.actor.userId : undefined
  const members = await db().membership.findMany({
    where: { accountId: ctx.accountId },
    orderBy: [{ role: 'asc' }, { createdAt: 'asc' }, { userId: 'asc' }],
    select: { userId: true, role: true, createdAt: true, lastSeenAt: true, user: { select: { email: true, totpConfirmedAt: true } } },
  })
  const mayChange = hasPermission(ctx, 'team.change')
  const { requiresSecondFactor } = await db().account.findUniqueOrThrow({
    where: { id: ctx.accountId },
    select: { requiresSecondFactor: true },
  })
  const invitations = await query<OpenInvitation>('team-invitations', OPEN, [ctx.accountId])
  return {
    members: members.map(({ user, createdAt, ...member }) => ({
      ...member,
      email: user.email,
      secondFactor: mayChange ? user.totpConfirmedAt !== null : null,
      since: createdAt,
      you: member.userId === self,
    })),
    invitations,
    mails: isMailConfigured(),
    mayChange,
    requiresSecondFactor,
  }
}

const OPEN = `
  SELECT id, email, role, invited_by_email AS "invitedBy", created_at AS "createdAt", expires_at AS "expiresAt",
    expires_at <= service_now() AS expired,
    CASE WHEN NOT by_mail THEN 'link' WHEN mailed_at IS NOT NULL THEN 'sent' WHEN mail_attempts = 0 THEN 'sending'
      WHEN mail_attempts <= ${JOBS['team.invitation-mail'].retryLimit} THEN 'retrying' ELSE 'undelivered' END AS delivery
  FROM invitation WHERE account_id = $1 AND ended_at IS NULL ORDER BY created_at DESC, id`

/**
 * Changes a member's role, starting with their next request. Errors: FORBIDDEN, NOT_FOUND, CONFLICT for the last owner, and if the role is
 * not `expected`.
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

/**
 * Removes a member from the account: their next request is refused, and their open streams end. Keys they created stay valid. Errors:
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

/** Ends a membership. Creates an account for a user without another one, who could otherwise neither sign in nor sign up again. */
async function endMembership(tx: Tx, ctx: AccountCtx, { userId, email }: LockedMember): Promise<void> {
  await tx.membership.delete({ where: { accountId_userId: { accountId: ctx.accountId, userId } } })
  // Serializes concurrent removals from other accounts, so that the second sees that it is the last membership.
  await tx.$queryRaw`SELECT 1 FROM app_user WHERE id = ${userId} FOR NO KEY UPDATE`
  if ((await tx.membership.count({ where: { userId } })) === 0) await createAccount(tx, { userId, email })
}

interface LockedMember {
  userId: string
  role: Role
  email: string
}

/**
 * Locks and returns the account's members until the transaction ends, always in the same order: if two owners demote each other
 * concurrently, the second sees the first change.
 */
export async function lockTeam(tx: Tx, { accountId }: Pick<AccountCtx, 'accountId'>): Promise<LockedMember[]> {
  return tx.$queryRaw<LockedMember[]>`
    SELECT user_id AS "userId", role, email FROM membership JOIN app_user ON id = user_id
    WHERE account_id = ${accountId} ORDER BY user_id FOR UPDATE OF membership`
}

/**
 * Checks that the caller may still change the team in this transaction, since their role may have changed after the request started.
 * Errors: FORBIDDEN.
 */
export function requireTeamPermission(ctx: AccountCtx, team: LockedMember[]): void {
  const { actor } = ctx
  const self = actor.kind === 'user' ? team.find(({ userId }) => userId === actor.userId) : undefined
  if (actor.kind !== 'user' || !self) throw new ServiceError('FORBIDDEN')
  requirePermission({ actor: { ...actor, role: self.role } }, 'team.change')
}

/** Throws CONFLICT if this member is the only owner, because an account must keep one. */
function requireAnotherOwner(team: LockedMember[], { userId, role }: LockedMember): void {
  if (role !== 'OWNER' || team.some((other) => other.role === 'OWNER' && other.userId !== userId)) return
  const message = 'An account needs at least one owner, and this is the only one. Make another member an owner first.'
  throw new ServiceError('CONFLICT', { message })
}

/** Returns the member with this id. Errors: NOT_FOUND. */
function memberOf(team: LockedMember[], userId: string): LockedMember {
  const member = team.find((one) => one.userId === userId)
  if (!member) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such member.' })
  return member
}
