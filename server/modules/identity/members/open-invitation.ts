import { type AccountCtx, type AccountId, requirePermission, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { Role } from '../../../permissions.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { newId, sha256 } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import type { ClientInfo } from '../sign-in/client-ip.ts'
import { refuseCommonPassword } from '../sign-in/common-password.ts'
import { hashPassword } from '../sign-in/password-hash.ts'
import type { JoinInput } from '../sign-in/schema.ts'
import { markEmailVerified } from '../sign-in/sign-up.ts'
import { requireSignUpAllowed, signUpRefusal } from '../sign-in/sign-up-policy.ts'
import { throttleSignUp } from '../sign-in/throttle.ts'
import type { AcceptInput, InvitationIdInput } from './member-schema.ts'

/** An invitation, as found by its link. */
interface Invitation {
  id: string
  accountId: string
  account: string
  email: string
  role: Role
  invitedBy: string
  expiresAt: Date
  /** Whether its link was sent only by email. */
  byMail: boolean
  state: 'open' | 'expired' | 'ended'
}

const SELECT = `
  SELECT i.id, i.account_id AS "accountId", a.name AS account, i.email, i.role, i.invited_by_email AS "invitedBy", i.expires_at AS "expiresAt",
    i.by_mail AS "byMail",
    CASE WHEN i.ended_at IS NOT NULL THEN 'ended' WHEN i.expires_at <= service_clock() THEN 'expired' ELSE 'open' END AS state
  FROM invitation i JOIN account a ON a.id = i.account_id WHERE i.token_hash = $1`

const hashOf = (token: string) => Buffer.from(sha256(token))

/** Returns a token's invitation, for the holder of the link, or undefined. */
export async function findInvitation(token: string): Promise<Invitation | undefined> {
  const [found] = await query<Invitation>('invitation-by-token', SELECT, [hashOf(token)])
  return found
}

/** Locks and returns a token's open invitation until the transaction ends, so that a link works once. Errors: NOT_FOUND with the reason. */
async function lockInvitation(tx: Tx, token: string): Promise<Invitation> {
  const [found] = await tx.$queryRawUnsafe<Invitation[]>(`${SELECT} FOR UPDATE OF i`, hashOf(token))
  if (found?.state === 'open') return found
  throw new ServiceError('NOT_FOUND', { message: refusalOf(found) })
}

/** Returns why a link is not valid, and what to do. */
function refusalOf(found: Invitation | undefined): string {
  if (!found) return 'This link belongs to no invitation. Check that you copied the whole link, or ask for a new one.'
  return found.state === 'expired'
    ? 'This invitation has expired. Ask for a new one.'
    : 'This invitation was already used or withdrawn. If you have joined, sign in; otherwise ask for a new invitation.'
}

/** An open invitation, as the holder of its link sees it. */
interface OpenInvitation {
  account: string
  /** E-mail address of the invited user. */
  email: string
  role: Role
  invitedBy: string
  expiresAt: Date
  /** Why a new user cannot choose a password and join. Null if they can. */
  closedToNew: string | null
}

/** Returns a link's open invitation. Errors: NOT_FOUND with the reason if it is not open. */
export async function getInvitation({ token }: AcceptInput): Promise<OpenInvitation> {
  const found = await findInvitation(token)
  if (found?.state !== 'open') throw new ServiceError('NOT_FOUND', { message: refusalOf(found) })
  const { account, email, role, invitedBy, expiresAt } = found
  return { account, email, role, invitedBy, expiresAt, closedToNew: signUpRefusal('invitation') ?? null }
}

/**
 * Accepts an invitation as the signed-in user and switches the session to its account. The link works once. Errors: NOT_FOUND (no open
 * invitation), FORBIDDEN (for another email), CONFLICT (already a member).
 */
export async function acceptInvitation(ctx: AccountCtx, { token }: AcceptInput): Promise<{ accountId: string }> {
  const { userId, email, sessionId } = requireUser(ctx)
  return db().$transaction(async (tx) => {
    const invitation = await lockInvitation(tx, token)
    if (invitation.email !== email) {
      const message = `This invitation is for ${invitation.email}, and you are signed in as ${email}. Sign out, then open the link again.`
      throw new ServiceError('FORBIDDEN', { message })
    }
    await join(tx, invitation, { userId, email })
    if (sessionId)
      await tx.$executeRaw`UPDATE user_session SET account_id = ${invitation.accountId} WHERE id = ${sessionId} AND user_id = ${userId}`
    return { accountId: invitation.accountId }
  })
}

/** Adds the user as a member with a locked invitation's role, and ends the invitation. Errors: CONFLICT if they are already a member. */
async function join(tx: Tx, invitation: Invitation, { userId, email }: { userId: string; email: string }): Promise<void> {
  const { id, role, accountId, byMail } = invitation
  const joined = await tx.$executeRaw`
    INSERT INTO membership (account_id, user_id, role, created_at) VALUES (${accountId}, ${userId}, ${role}::"Role", service_now())
    ON CONFLICT DO NOTHING`
  if (joined === 0) throw new ServiceError('CONFLICT', { message: 'You are already a member of this account.' })
  if (byMail) await markEmailVerified(tx, userId)
  await tx.$executeRaw`UPDATE invitation SET ended_at = service_now() WHERE id = ${id}`
  const actor = { kind: 'user', userId, email, role } as const
  await record(tx, { accountId: accountId as AccountId, actor }, { action: 'team.join', subject: userId, after: { email, role } })
}

/**
 * Signs up an invited user, who joins that account without getting a separate one. Returns the email to sign in with. Errors: NOT_FOUND (no
 * open invitation), CONFLICT (already signed up: sign in and accept), FORBIDDEN under `SIGN_UP`, TOO_MANY_ATTEMPTS.
 */
export async function joinAsNewUser(visitor: ClientInfo, { token, password }: JoinInput): Promise<{ email: string }> {
  requireSignUpAllowed('invitation')
  throttleSignUp(visitor.address)
  const open = await db().$transaction((tx) => lockInvitation(tx, token))
  await refuseCommonPassword(password, open.email, [open.account])
  const passwordHash = await hashPassword(password)
  try {
    return await db().$transaction(async (tx) => {
      const invitation = await lockInvitation(tx, token)
      const { email } = invitation
      const userId = newId('usr')
      await tx.user.create({ data: { id: userId, email, passwordHash } })
      await join(tx, invitation, { userId, email })
      return { email }
    })
  } catch (error) {
    if ((error as { code?: string }).code !== 'P2002') throw error
    throw new ServiceError('CONFLICT', { message: 'A user with this email address already exists. Sign in, then accept the invitation.' })
  }
}

/** Days to keep an ended invitation. The audit log records who invited whom. */
const ENDED_INVITATION_DAYS = 90

/** Deletes invitations that were used, withdrawn or expired more than 90 days ago. Runs with the job `session.sweep`. */
export async function pruneInvitations(signal?: AbortSignal): Promise<void> {
  await deleteInSlices(
    'invitation',
    'LEAST(expires_at, ended_at) < service_now() - make_interval(days => $1)',
    [ENDED_INVITATION_DAYS],
    signal,
  )
}

/** Withdraws an invitation and invalidates its link. Errors: FORBIDDEN, NOT_FOUND (also if it was accepted or withdrawn). */
export async function revokeInvitation(ctx: AccountCtx, { invitationId }: InvitationIdInput): Promise<void> {
  requirePermission(ctx, 'team.change')
  await db().$transaction(async (tx) => {
    const [ended] = await tx.$queryRaw<{ email: string; role: string }[]>`
      UPDATE invitation SET ended_at = service_now()
      WHERE id = ${invitationId} AND account_id = ${ctx.accountId} AND ended_at IS NULL RETURNING email, role::text`
    if (!ended) throw new ServiceError('NOT_FOUND', { message: 'This invitation was already accepted or withdrawn.' })
    await record(tx, ctx, { action: 'team.invite.revoke', subject: invitationId, before: { email: ended.email, role: ended.role } })
  })
}
