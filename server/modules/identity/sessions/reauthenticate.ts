import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, query } from '../../../platform/database/database.ts'
import { countRefusal } from '../../audit/security-counters.ts'
import type { ClientInfo } from '../sign-in/client-ip.ts'
import { verifyPassword } from '../sign-in/password-hash.ts'
import type { SecondFactor } from '../sign-in/schema.ts'
import { throttledSignIn } from '../sign-in/throttle.ts'
import { verifyCode } from '../sign-in/verify-second-factor.ts'

/** Minutes after sign-in in which a user without a password needs no further proof. */
const FRESH_MINUTES = 15

/**
 * Verifies the signed-in user's identity before an operation that a stolen session must not perform: by password or, without one, by a
 * recent sign-in. Errors: INVALID_REQUEST at `field`, CONFLICT if they must sign in again, TOO_MANY_ATTEMPTS.
 */
export async function reauthenticate(ctx: AccountCtx, visitor: ClientInfo, password: string, field = 'password'): Promise<void> {
  const { userId, email, sessionId } = requireUser(ctx)
  const { passwordHash } = await db().user.findUniqueOrThrow({ where: { id: userId }, select: { passwordHash: true } })
  if (passwordHash) {
    // A session has signed in once, so attempts from elsewhere do not use up its limit.
    const origin = { address: visitor.address, known: sessionId }
    const right = await throttledSignIn(email, origin, async () => (await verifyPassword(password, passwordHash)) || undefined)
    if (right) return
    if (password) countRefusal('user.proof.refuse', { userId }, visitor)
    throw invalidField(field, password ? 'Incorrect password.' : 'Enter your password.')
  } else if (!(await isFresh(sessionId))) {
    const message = 'Confirm your identity: sign out, sign in again, then repeat this action.'
    throw new ServiceError('CONFLICT', { message })
  }
}

/** Returns a refusal for a form field. */
export function invalidField(field: string, message: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'body', path: field, message }] })
}

const FRESH = `SELECT 1 FROM user_session WHERE id = $1 AND created_at > service_now() - make_interval(mins => ${FRESH_MINUTES})`

async function isFresh(sessionId: string | undefined): Promise<boolean> {
  return sessionId !== undefined && (await query('session-is-fresh', FRESH, [sessionId])).length > 0
}

/**
 * Requires a code from a signed-in user who has a second factor, and uses it up. A user without one passes. Errors: INVALID_REQUEST at
 * `code`, TOO_MANY_ATTEMPTS.
 */
export async function proveSecondFactor(ctx: AccountCtx, visitor: ClientInfo, code: SecondFactor | undefined): Promise<void> {
  const { userId } = requireUser(ctx)
  const { totpConfirmedAt } = await db().user.findUniqueOrThrow({ where: { id: userId }, select: { totpConfirmedAt: true } })
  if (!totpConfirmedAt) return
  if (!code) throw invalidField('code', 'Enter a code from your authenticator app, or a recovery code.')
  if (!(await verifyCode(visitor, userId, code))) throw invalidField('code', 'This code is incorrect or was already used.')
}
