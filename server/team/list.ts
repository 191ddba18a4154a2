import { type AccountCtx, may } from '../context.ts'
import { db, query } from '../infra/db.ts'
import { mailIsSet } from '../infra/mail.ts'
import type { Role } from '../roles.ts'

export interface Member {
  userId: string
  email: string
  role: Role
  since: Date
  /** To the minute; null before their first request in this account. */
  lastSeenAt: Date | null
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
}

export interface Team {
  /** Owners first, then by role and since when. */
  members: Member[]
  /** Neither accepted nor withdrawn, newest first. */
  invitations: OpenInvitation[]
  /** Whether invitations are mailed as well. */
  mails: boolean
  mayChange: boolean
}

/** Who works in the account, and who is asked to. Never a link or its hash. */
export async function listTeam(ctx: AccountCtx): Promise<Team> {
  const self = ctx.actor.kind === 'user' ? ctx.actor.userId : undefined
  const members = await db().membership.findMany({
    where: { accountId: ctx.accountId },
    orderBy: [{ role: 'asc' }, { createdAt: 'asc' }, { userId: 'asc' }],
    select: { userId: true, role: true, createdAt: true, lastSeenAt: true, user: { select: { email: true } } },
  })
  const invitations = await query<OpenInvitation>('team-invitations', OPEN, [ctx.accountId])
  return {
    members: members.map(({ user, createdAt, ...member }) => ({
      ...member,
      email: user.email,
      since: createdAt,
      you: member.userId === self,
    })),
    invitations,
    mails: mailIsSet(),
    mayChange: may(ctx, 'team.change'),
  }
}

const OPEN = `
  SELECT id, email, role, invited_by_email AS "invitedBy", created_at AS "createdAt", expires_at AS "expiresAt",
    expires_at <= service_now() AS expired
  FROM invitation WHERE account_id = $1 AND ended_at IS NULL ORDER BY created_at DESC, id`
