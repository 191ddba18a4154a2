import { type AccountCtx, type AccountId, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { markEmailVerified } from '../sign-in/email-verified.ts'
import type { AcceptInput } from './member-schema.ts'
import { type Invitation, lockInvitation } from './open-invitation.ts'

/**
 * Accepts an invitation as the signed-in user and switches the session to its account. The link is valid once. Errors: NOT_FOUND (no open
 * invitation), FORBIDDEN (for another e-mail), CONFLICT (a member already).
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

/**
 * Adds the user as a member under the role of a locked invitation, and ends the invitation. Errors: CONFLICT when they are a member
 * already.
 */
export async function join(tx: Tx, invitation: Invitation, { userId, email }: { userId: string; email: string }): Promise<void> {
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
