import { query } from '../../platform/database.ts'
import type { ClientInfo } from './client-ip.ts'
import { takeCode } from './code-check.ts'
import { knownDevice } from './known-device.ts'
import type { SecondFactor } from './schema.ts'
import { claimedSession } from './session.ts'

/** A user who has completed the first step of signing in and not the second. */
export interface Waiting {
  userId: string
  method: string
  email: string
}

const WAITING = `
  SELECT user_id, method, email FROM user_session s JOIN app_user u ON u.id = user_id
  WHERE s.id = $1 AND mfa_pending AND expires_at > service_now() AND u.suspended_at IS NULL`

/** Returns the user whose first step is complete, by a `Cookie` header; undefined otherwise. */
export async function waitingFor(cookieHeader: string | undefined): Promise<Waiting | undefined> {
  const sessionId = await claimedSession(cookieHeader)
  if (!sessionId) return undefined
  const [row] = await query<{ user_id: string; method: string; email: string }>('session-waiting', WAITING, [sessionId])
  return row && { userId: row.user_id, method: row.method, email: row.email }
}

/**
 * Performs the second step of signing in. Returns undefined when the first is missing or has expired, or the code is incorrect. Throws
 * TOO_MANY_ATTEMPTS.
 */
export async function takeSecondStep(
  visitor: ClientInfo,
  cookieHeader: string | undefined,
  factor: SecondFactor,
): Promise<Waiting | undefined> {
  const waiting = await waitingFor(cookieHeader)
  if (!waiting) return undefined
  return (await takeCode(visitor, waiting.userId, factor, knownDevice(cookieHeader, waiting.email))) ? waiting : undefined
}
