import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'

/** Who is signed in, and by which session (undefined where a session is not what proved it). Errors: UNAUTHENTICATED when it is no person. */
export function personOf({ actor, sessionId }: AccountCtx): { userId: string; email: string; sessionId: string | undefined } {
  if (actor.kind !== 'user') throw new ServiceError('UNAUTHENTICATED')
  return { userId: actor.userId, email: actor.email, sessionId }
}
