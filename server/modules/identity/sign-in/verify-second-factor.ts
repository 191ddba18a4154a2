import { query } from '../../../platform/database/database.ts'
import { claimedSession } from '../sessions/session.ts'
import type { ClientInfo } from './client-ip.ts'
import { knownDevice } from './known-device.ts'
import type { SecondFactor } from './schema.ts'
import { verifyCode } from './verify-code.ts'

/** A user who has completed the first step of signing in and not the second. */
export interface PendingSignIn {
  userId: string
  method: string
  email: string
}

const PENDING = `
  SELECT user_id, method, email FROM user_session s JOIN app_user u ON u.id = user_id
  WHERE s.id = $1 AND mfa_pending AND expires_at > service_now() AND u.suspended_at IS NULL`

/** Returns the user whose first step is complete, by a `Cookie` header; undefined otherwise. */
export async function pendingSignIn(cookieHeader: string | undefined): Promise<PendingSignIn | undefined> {
  const sessionId = await claimedSession(cookieHeader)
  if (!sessionId) return undefined
  const [row] = await query<{ user_id: string; method: string; email: string }>('session-mfa-pending', PENDING, [sessionId])
  return row && { userId: row.user_id, method: row.method, email: row.email }
}

/**
 * Performs the second step of signing in. Returns undefined when the first is missing or has expired, or the code is incorrect. Throws
 * TOO_MANY_ATTEMPTS.
 */
export async function verifySecondFactor(
  visitor: ClientInfo,
  cookieHeader: string | undefined,
  factor: SecondFactor,
): Promise<PendingSignIn | undefined> {
  const pending = await pendingSignIn(cookieHeader)
  if (!pending) return undefined
  return (await verifyCode(visitor, pending.userId, factor, knownDevice(cookieHeader, pending.email))) ? pending : undefined
}
