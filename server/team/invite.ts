import { record } from '../audit/record.ts'
import { type AccountCtx, demand } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { newId, randomBase62, sha256 } from '../infra/crypto.ts'
import { db, type Tx } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { sendMail } from '../infra/mail.ts'
import { personOf } from '../user/person.ts'
import { invitationMail } from './invitation-mail.ts'
import { INVITATION_DAYS, MAX_INVITATIONS_A_DAY, MAX_PEOPLE } from './limits.ts'
import { lockTeam, stillChangesTeam } from './lock.ts'
import { type InviteInput, TOKEN_LENGTH } from './schema.ts'

export interface Invited {
  id: string
  /** The link, for this once: only its hash is kept. Null where it was mailed: it proves the address, so only that mailbox has it. */
  url: string | null
  expiresAt: Date
  /** Whether the mail server took the mail; false where none is set. */
  mailed: boolean
}

/**
 * Asks somebody to join under a role, by a link that works once and for 7 days. An open invitation of theirs is replaced, so asking
 * again is how a lost link is renewed. Errors: FORBIDDEN, CONFLICT (a member already, too many people), TOO_MANY_ATTEMPTS.
 */
export async function invite(ctx: AccountCtx, { email, role }: InviteInput): Promise<Invited> {
  demand(ctx, 'team.change')
  const { userId, email: by } = personOf(ctx)
  const token = randomBase62(TOKEN_LENGTH)
  const tokenHash = Buffer.from(sha256(token))
  const id = newId('inv')
  const made = await db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${ctx.accountId} FOR NO KEY UPDATE`
    const team = await lockTeam(tx, ctx)
    stillChangesTeam(ctx, team)
    if (team.some((member) => member.email === email)) throw new ServiceError('CONFLICT', problem(`${email} is a member already.`))
    await tx.$executeRaw`
      UPDATE invitation SET ended_at = service_now() WHERE account_id = ${ctx.accountId} AND email = ${email} AND ended_at IS NULL`
    await roomForOneMore(tx, ctx, team.length)
    const [row] = await tx.$queryRaw<{ expiresAt: Date; account: string }[]>`
      INSERT INTO invitation (id, account_id, email, role, token_hash, invited_by_id, invited_by_email, created_at, expires_at)
      VALUES (${id}, ${ctx.accountId}, ${email}, ${role}::"Role", ${tokenHash}, ${userId}, ${by}, service_now(),
        service_now() + make_interval(days => ${INVITATION_DAYS}))
      RETURNING expires_at AS "expiresAt", (SELECT name FROM account WHERE account.id = account_id) AS account`
    await record(tx, ctx, { action: 'team.invite', subject: id, after: { email, role } })
    return row as { expiresAt: Date; account: string }
  })
  const url = `${env().BASE_URL}/invite/${token}`
  const mailed = await sendMail(invitationMail({ to: email, by, account: made.account, role, url, expiresAt: made.expiresAt }))
  return { id, url: mailed ? null : url, expiresAt: made.expiresAt, mailed }
}

const problem = (message: string) => ({ message, details: [{ in: 'body', path: 'email', message }] })

async function roomForOneMore(tx: Tx, { accountId }: AccountCtx, members: number): Promise<void> {
  const [counted] = await tx.$queryRaw<{ open: number; today: number }[]>`
    SELECT count(*) FILTER (WHERE ended_at IS NULL)::int AS open,
      count(*) FILTER (WHERE created_at > service_now() - interval '1 day')::int AS today
    FROM invitation WHERE account_id = ${accountId} AND (ended_at IS NULL OR created_at > service_now() - interval '1 day')`
  const { open, today } = counted as { open: number; today: number }
  if (members + open >= MAX_PEOPLE)
    throw new ServiceError('CONFLICT', problem(`An account has room for ${MAX_PEOPLE} people. Remove a member or withdraw an invitation.`))
  if (today >= MAX_INVITATIONS_A_DAY)
    throw new ServiceError('TOO_MANY_ATTEMPTS', {
      message: `An account can send ${MAX_INVITATIONS_A_DAY} invitations a day. Go on tomorrow.`,
    })
}
