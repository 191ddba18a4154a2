import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { recordSecurity } from '../../audit/security.ts'
import type { SessionIdInput } from '../sign-in/schema.ts'

/** Ends one of the signed-in user's sessions. Errors: NOT_FOUND, also for another user's session. */
export async function endSession(ctx: AccountCtx, { sessionId }: SessionIdInput): Promise<void> {
  const { userId } = requireUser(ctx)
  await db().$transaction(async (tx) => {
    const { count } = await tx.userSession.deleteMany({ where: { id: sessionId, userId } })
    if (count === 0) throw new ServiceError('NOT_FOUND', { message: 'This session has already ended.' })
    await recordSecurity(tx, { event: 'user.session.end', userId, from: { remote: ctx.address }, before: { sessions: count } })
  })
}

/** Ends all other sessions of the signed-in user. Returns how many ended. */
export async function endOtherSessions(ctx: AccountCtx): Promise<{ ended: number }> {
  const { userId, sessionId } = requireUser(ctx)
  return db().$transaction(async (tx) => {
    const ended = await endOthers(tx, userId, sessionId)
    if (ended > 0)
      await recordSecurity(tx, { event: 'user.session.end', userId, from: { remote: ctx.address }, before: { sessions: ended } })
    return { ended }
  })
}

/** Ends all sessions of a user except `kept`. Returns how many. */
export async function endOthers(tx: Tx, userId: string, kept: string | undefined): Promise<number> {
  const { count } = await tx.userSession.deleteMany({ where: { userId, NOT: { id: kept ?? '' } } })
  return count
}

/** Ends the session of a cookie, when its owner signs out. */
export async function endSessionById(sessionId: string | undefined): Promise<void> {
  if (sessionId) await db().userSession.deleteMany({ where: { id: sessionId } })
}
