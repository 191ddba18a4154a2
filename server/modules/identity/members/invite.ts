import { type AccountCtx, requirePermission, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { isMailConfigured } from '../../../platform/mail.ts'
import { newId, randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { lockTeam, requireTeamPermission } from './lock-members.ts'
import { invitationUrl } from './mail-invitation.ts'
import { INVITATION_DAYS, MAX_INVITATIONS_PER_DAY, MAX_PEOPLE } from './member-limits.ts'
import { type InviteInput, TOKEN_LENGTH } from './member-schema.ts'

export interface Invited {
  id: string
  /**
   * The link, returned once, because only its hash is stored. Null where mail is configured: the link proves the address, so it is sent to
   * that mailbox alone.
   */
  url: string | null
  expiresAt: Date
}

/** Refuses an invitation that `invite` would refuse whatever else is proven. Errors: FORBIDDEN, CONFLICT (a member already). */
export async function requireInvitable(ctx: AccountCtx, { email }: Pick<InviteInput, 'email'>): Promise<void> {
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
 * Invites an e-mail under a role, by a link that is valid once and for 7 days. Replaces an open invitation of the same e-mail, so a second
 * call renews a lost link. Where mail is configured, a job sends it (mail-invitation.ts). Errors: FORBIDDEN, CONFLICT (a member already,
 * too many people), TOO_MANY_ATTEMPTS.
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
      problem(`An account can have at most ${MAX_PEOPLE} members and open invitations. Remove a member or withdraw an invitation.`),
    )
  if (today >= MAX_INVITATIONS_PER_DAY)
    throw new ServiceError('TOO_MANY_ATTEMPTS', {
      message: `An account can send ${MAX_INVITATIONS_PER_DAY} invitations per day. Try again tomorrow.`,
    })
}
