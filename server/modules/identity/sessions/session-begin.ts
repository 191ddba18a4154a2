import { transaction } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { SESSION_SEC } from './session.ts'

/** Method and origin of a sign-in. */
export interface NewSession {
  userId: string
  /** `password`, or the provider's name. */
  method: string
  /** Whether the second step is missing; until then the session grants no access, and it expires after ten minutes. */
  mfaPending: boolean
  address: string
  userAgent: string
  /** The browser's previous session, which ends, so that no cookie from before the sign-in remains valid after it. */
  replaces: string | undefined
}

/** Maximum number of sessions per user; the oldest are deleted. */
const MAX_SESSIONS = 50
const MFA_PENDING_SEC = 600

const BEGIN = `
  INSERT INTO user_session (id, user_id, account_id, method, mfa_pending, address, user_agent, created_at, last_seen_at, expires_at)
  VALUES ($1, $2, (SELECT account_id FROM user_session WHERE id = $7 AND user_id = $2), $3, $4, $5, $6, service_now(), service_now(),
    service_now() + make_interval(secs => $8))`
const SURPLUS = `
  DELETE FROM user_session WHERE id IN (SELECT id FROM user_session WHERE user_id = $1 ORDER BY created_at DESC, id OFFSET ${MAX_SESSIONS})`

/** Creates a session and ends the one it replaces. Returns its id, which is stored only in the cookie. */
export function beginSession({ userId, method, mfaPending, address, userAgent, replaces }: NewSession): Promise<string> {
  const id = newId('ses')
  const lifetime = mfaPending ? MFA_PENDING_SEC : SESSION_SEC
  const values = [id, userId, method, mfaPending, address, userAgent.slice(0, 300), replaces ?? null, lifetime]
  return transaction(async (connection) => {
    await connection.query(BEGIN, values)
    if (replaces) await connection.query('DELETE FROM user_session WHERE id = $1', [replaces])
    await connection.query(SURPLUS, [userId])
    return id
  })
}
