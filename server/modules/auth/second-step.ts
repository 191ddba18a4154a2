import { query } from '../../platform/database.ts'
import type { ClientInfo } from './client-ip.ts'
import { takeCode } from './code-check.ts'
import { knownDevice } from './known-device.ts'
import type { SecondFactor } from './schema.ts'
import { claimedSession } from './session.ts'

/** Somebody who did the first step of signing in and owes the second. */
export interface Waiting {
  userId: string
  method: string
  email: string
}

const WAITING = `
  SELECT user_id, method, email FROM user_session s JOIN app_user u ON u.id = user_id
  WHERE s.id = $1 AND awaits_code AND expires_at > service_now() AND u.suspended_at IS NULL`

/** Whom a `Cookie` header shows halfway in; undefined for everybody else. */
export async function waitingFor(cookieHeader: string | undefined): Promise<Waiting | undefined> {
  const sessionId = await claimedSession(cookieHeader)
  if (!sessionId) return undefined
  const [row] = await query<{ user_id: string; method: string; email: string }>('session-waiting', WAITING, [sessionId])
  return row && { userId: row.user_id, method: row.method, email: row.email }
}

/** The second step of signing in. Undefined when the first is missing, too long ago, or the code is not right. Throws TOO_MANY_ATTEMPTS. */
export async function takeSecondStep(
  visitor: ClientInfo,
  cookieHeader: string | undefined,
  factor: SecondFactor,
): Promise<Waiting | undefined> {
  const waiting = await waitingFor(cookieHeader)
  if (!waiting) return undefined
  return (await takeCode(visitor, waiting.userId, factor, knownDevice(cookieHeader, waiting.email))) ? waiting : undefined
}
