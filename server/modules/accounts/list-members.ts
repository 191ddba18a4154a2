import { type AccountCtx, may } from '../../context.ts'
import { JOBS } from '../../jobs.ts'
import type { Role } from '../../permissions.ts'
import { db, query } from '../../platform/database.ts'
import { mailIsSet } from '../../platform/mail.ts'

export interface Member {
  userId: string
  email: string
  role: Role
  since: Date
  /** To the minute; null before their first request in this account. */
  lastSeenAt: Date | null
  /** Whether they have set up a second factor; null for who does not change the team. */
  secondFactor: boolean | null
  /** The one who asks. */
  you: boolean
}

export interface OpenInvitation {
  id: string
  email: string
  role: Role
  /** E-mail of whoever invited. */
  invitedBy: string
  createdAt: Date
  expiresAt: Date
  expired: boolean
  /** `link`: shown to the inviter once. Else where its letter is: `undelivered` when the mail server refused it to the last try. */
  delivery: 'link' | 'sending' | 'retrying' | 'undelivered' | 'sent'
}

export interface Team {
  /** Owners first, then by role and since when. */
  members: Member[]
  /** Neither accepted nor withdrawn, newest first. */
  invitations: OpenInvitation[]
  /** Whether new invitations are mailed. */
  mails: boolean
  mayChange: boolean
  /** Members without a second factor reach nothing but its set-up. */
  requiresSecondFactor: boolean
}

/** Who works in the account, and who is asked to. Never a link or its hash. */
export async function listTeam(ctx: AccountCtx): Promise<Team> {
  const self = ctx.actor.kind === 'user' ? ctx.actor.userId : undefined
  const members = await db().membership.findMany({
    where: { accountId: ctx.accountId },
    orderBy: [{ role: 'asc' }, { createdAt: 'asc' }, { userId: 'asc' }],
    select: { userId: true, role: true, createdAt: true, lastSeenAt: true, user: { select: { email: true, totpSince: true } } },
  })
  const mayChange = may(ctx, 'team.change')
  const { requiresSecondFactor } = await db().account.findUniqueOrThrow({
    where: { id: ctx.accountId },
    select: { requiresSecondFactor: true },
  })
  const invitations = await query<OpenInvitation>('team-invitations', OPEN, [ctx.accountId])
  return {
    members: members.map(({ user, createdAt, ...member }) => ({
      ...member,
      email: user.email,
      secondFactor: mayChange ? user.totpSince !== null : null,
      since: createdAt,
      you: member.userId === self,
    })),
    invitations,
    mails: mailIsSet(),
    mayChange,
    requiresSecondFactor,
  }
}

const OPEN = `
  SELECT id, email, role, invited_by_email AS "invitedBy", created_at AS "createdAt", expires_at AS "expiresAt",
    expires_at <= service_now() AS expired,
    CASE WHEN NOT by_mail THEN 'link' WHEN mailed_at IS NOT NULL THEN 'sent' WHEN mail_tries = 0 THEN 'sending'
      WHEN mail_tries <= ${JOBS['team.invitation-mail'].retryLimit} THEN 'retrying' ELSE 'undelivered' END AS delivery
  FROM invitation WHERE account_id = $1 AND ended_at IS NULL ORDER BY created_at DESC, id`
