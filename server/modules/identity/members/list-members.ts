import { type AccountCtx, hasPermission } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import type { Role } from '../../../permissions.ts'
import { db, query } from '../../../platform/database/database.ts'
import { isMailConfigured } from '../../../platform/mail.ts'

export interface Member {
  userId: string
  email: string
  role: Role
  since: Date
  /** To the minute; null before their first request in this account. */
  lastSeenAt: Date | null
  /** Whether they have a second factor; null for callers who may not change the team. */
  secondFactor: boolean | null
  /** Whether it is the caller. */
  you: boolean
}

export interface OpenInvitation {
  id: string
  email: string
  role: Role
  /** E-mail of the inviter. */
  invitedBy: string
  createdAt: Date
  expiresAt: Date
  expired: boolean
  /**
   * `link`: displayed to the inviter once. Otherwise the state of the e-mail: `undelivered` when the mail server refused the last attempt.
   */
  delivery: 'link' | 'sending' | 'retrying' | 'undelivered' | 'sent'
}

export interface Team {
  /** Owners first, then by role and time of joining. */
  members: Member[]
  /** Neither accepted nor withdrawn, newest first. */
  invitations: OpenInvitation[]
  /** Whether new invitations are mailed. */
  mails: boolean
  mayChange: boolean
  /** Whether members without a second factor can open nothing but its set-up. */
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
