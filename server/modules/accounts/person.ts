import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'

/**
 * Returns the signed-in user and their session (undefined when a session is not what authenticated them). Errors: UNAUTHENTICATED when the
 * actor is not a user.
 */
export function personOf({ actor, sessionId }: AccountCtx): { userId: string; email: string; sessionId: string | undefined } {
  if (actor.kind !== 'user') throw new ServiceError('UNAUTHENTICATED')
  return { userId: actor.userId, email: actor.email, sessionId }
}
