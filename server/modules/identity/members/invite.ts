import { type AccountCtx, requirePermission, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { ROLES, type Role } from '../../../permissions.ts'
import { env } from '../../../platform/config/config.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { isMailConfigured, type Mail, sendMail } from '../../../platform/mail.ts'
import { newId, randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { INVITATION_DAYS, MAX_INVITATIONS_PER_DAY, MAX_PEOPLE } from '../limits.ts'
import { proveSecondFactor } from '../sessions/reauthenticate.ts'
import type { ClientInfo } from '../sign-in/client-ip.ts'
import type { InviteMemberInput } from '../sign-in/schema.ts'
import { type InviteInput, TOKEN_LENGTH } from './member-schema.ts'
import { lockTeam, requireTeamPermission } from './members.ts'

export interface Invited {
  id: string
  /**
   * The link, returned once, because only its hash is stored. Null if mail is configured: the link proves the address, so it goes only to
   * that mailbox.
   */
  url: string | null
  expiresAt: Date
}

/** Refuses an invitation that `invite` would refuse regardless of proof. Errors: FORBIDDEN, CONFLICT (already a member). */
async function requireInvitable(ctx: AccountCtx, { email }: Pick<InviteInput, 'email'>): Promise<void> {
  requirePermission(ctx, 'team.change')
  await db().$transaction((tx) => invitableTo(tx, ctx, email))
}

/** Locks the account and its team, and returns the team. */
async function invitableTo(tx: Tx, ctx: AccountCtx, email: string) {
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${ctx.accountId} FOR NO KEY UPDATE`
  const team = await lockTeam(tx, ctx)
  requireTeamPermission(ctx, team)
  if (team.some((member) => member.email === email)) throw new ServiceError('CONFLICT', problem(`${email} is already a member.`))
  return team
}

/**
 * Invites an email address to a role, with a link that works once and for 7 days. Replaces an open invitation to the same address, so a
 * second call renews a lost link. If mail is configured, a job sends it. Errors: FORBIDDEN, CONFLICT (already a member, too many people),
 * TOO_MANY_ATTEMPTS.
 */
export async function invite(ctx: AccountCtx, { email, role }: InviteInput): Promise<Invited> {
  requirePermission(ctx, 'team.change')
  const { email: by } = requireUser(ctx)
  const token = randomBase62(TOKEN_LENGTH)
  const tokenHash = Buffer.from(sha256(token))
  const id = newId('inv')
  const byMail = isMailConfigured()
  const created = await db().$transaction(async (tx) => {
    const team = await invitableTo(tx, ctx, email)
    await tx.$executeRaw`
      UPDATE invitation SET ended_at = service_now() WHERE account_id = ${ctx.accountId} AND email = ${email} AND ended_at IS NULL`
    await requireMemberSlot(tx, ctx, team.length)
    const [row] = await tx.$queryRaw<{ expiresAt: Date }[]>`
      INSERT INTO invitation (id, account_id, email, role, token_hash, invited_by_email, by_mail, created_at, expires_at)
      VALUES (${id}, ${ctx.accountId}, ${email}, ${role}::"Role", ${tokenHash}, ${by}, ${byMail}, service_now(),
        service_now() + make_interval(days => ${INVITATION_DAYS}))
      RETURNING expires_at AS "expiresAt"`
    await record(tx, ctx, { action: 'team.invite', subject: id, after: { email, role } })
    if (byMail) await enqueue(tx, JOBS['team.invitation-mail'], { invitationId: id }, { group: ctx.accountId })
    return row as { expiresAt: Date }
  })
  return { id, url: byMail ? null : invitationUrl(token), expiresAt: created.expiresAt }
}

const problem = (message: string) => ({ message, details: [{ in: 'body', path: 'email', message }] })

async function requireMemberSlot(tx: Tx, { accountId }: AccountCtx, members: number): Promise<void> {
  const [counted] = await tx.$queryRaw<{ open: number; today: number }[]>`
    SELECT count(*) FILTER (WHERE ended_at IS NULL)::int AS open,
      count(*) FILTER (WHERE created_at > service_now() - interval '1 day')::int AS today
    FROM invitation WHERE account_id = ${accountId} AND (ended_at IS NULL OR created_at > service_now() - interval '1 day')`
  const { open, today } = counted as { open: number; today: number }
  if (members + open >= MAX_PEOPLE)
    throw new ServiceError(
      'CONFLICT',
      problem(`An account can have at most ${MAX_PEOPLE} members and open invitations. Remove a member or withdraw an invitation first.`),
    )
  if (today >= MAX_INVITATIONS_PER_DAY)
    throw new ServiceError('TOO_MANY_ATTEMPTS', {
      message: `An account can send ${MAX_INVITATIONS_PER_DAY} invitations per day. Try again tomorrow.`,
    })
}

/**
 * Invites an email address like `invite`. Requires the second factor of a member who has one, because an invitation outlives a stolen
 * session. Errors: as `invite`, INVALID_REQUEST at `code`, TOO_MANY_ATTEMPTS.
 */
export async function inviteMember(ctx: AccountCtx, visitor: ClientInfo, { code, ...input }: InviteMemberInput): Promise<Invited> {
  // A code works only once, so check for other refusals before asking for it.
  await requireInvitable(ctx, input)
  await proveSecondFactor(ctx, visitor, code)
  return invite(ctx, input)
}

/* A new token for each attempt, so that none is stored in readable form between attempts. */
const ATTEMPT = `
  UPDATE invitation i SET token_hash = $2, mail_attempts = mail_attempts + 1 FROM account a
  WHERE i.id = $1 AND a.id = i.account_id AND i.by_mail AND i.ended_at IS NULL AND i.mailed_at IS NULL AND i.expires_at > service_now()
  RETURNING i.email, i.role, i.invited_by_email AS by, i.expires_at AS "expiresAt", a.name AS account`
const SENT = 'UPDATE invitation SET mailed_at = service_now() WHERE id = $1 AND token_hash = $2'

/** Returns the URL of an invitation's page. The token is in the fragment, which browsers do not send to servers. */
const invitationUrl = (token: string) => `${env().BASE_URL}/join#${token}`

/**
 * Emails an invitation's link to the invited address, unless it was sent, accepted, withdrawn or has expired. Runs as the job
 * `team.invitation-mail`. Throws if the mail server refuses it, so that the job is retried.
 */
export async function mailInvitation({ invitationId }: { invitationId: string }): Promise<void> {
  const token = randomBase62(TOKEN_LENGTH)
  const hash = Buffer.from(sha256(token))
  const [row] = await query<{ email: string; role: Role; by: string; expiresAt: Date; account: string }>('invitation-try', ATTEMPT, [
    invitationId,
    hash,
  ])
  if (!row) return
  const { email: to, ...rest } = row
  if (!(await sendMail(invitationMail({ to, ...rest, url: invitationUrl(token) }))))
    throw new Error('the mail server rejected an invitation')
  await query('invitation-sent', SENT, [invitationId, hash])
}

interface Invitation {
  to: string
  by: string
  account: string
  role: Role
  url: string
  expiresAt: Date
}

/** Returns the e-mail with an invitation's link. */
export function invitationMail({ to, by, account, role, url, expiresAt }: Invitation): Mail {
  // The inviter chooses the account's name, and the recipient does not know them, so the name must not contain a link or a line break.
  const name = account
    .replace(/[\s\p{C}]+/gu, ' ')
    .replace(/[./:@]/g, ' ')
    .slice(0, 80)
  const until = `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const first = `${by} invited you to the account “${name}” on Reelgate as ${ROLES[role].title}.`
  const last = `Only ${to} can use the link, once, until ${until}. If you did not expect this invitation, ignore this email.`
  return {
    to,
    subject: `${by} invited you to ${name}`,
    text: `${first}\n\nAccept the invitation: ${url}\n\n${last}\n`,
  }
}
