import { newId } from '../../platform/crypto.ts'
import { transaction } from '../../platform/database.ts'
import { SESSION_SEC } from './session.ts'

/** How somebody signed in, and from where. */
export interface Beginning {
  userId: string
  /** `password`, or the provider's name. */
  method: string
  /** The second step is still to come; until then the session opens nothing, and it waits ten minutes. */
  awaitsCode: boolean
  address: string
  userAgent: string
  /** The session that the browser had: it ends, so that no cookie from before the sign-in is worth anything after it. */
  replaces: string | undefined
}

/** Sessions one person can have; the oldest go. */
const MOST = 50
const AWAIT_CODE_SEC = 600

const BEGIN = `
  INSERT INTO user_session (id, user_id, account_id, method, awaits_code, address, user_agent, created_at, last_seen_at, expires_at)
  VALUES ($1, $2, (SELECT account_id FROM user_session WHERE id = $7 AND user_id = $2), $3, $4, $5, $6, service_now(), service_now(),
    service_now() + make_interval(secs => $8))`
const SURPLUS = `
  DELETE FROM user_session WHERE id IN (SELECT id FROM user_session WHERE user_id = $1 ORDER BY created_at DESC, id OFFSET ${MOST})`

/** Makes a new session and ends the one it replaces. Returns its id, which goes into the cookie and nowhere else. */
export function beginSession({ userId, method, awaitsCode, address, userAgent, replaces }: Beginning): Promise<string> {
  const id = newId('ses')
  const lifetime = awaitsCode ? AWAIT_CODE_SEC : SESSION_SEC
  const values = [id, userId, method, awaitsCode, address, userAgent.slice(0, 300), replaces ?? null, lifetime]
  return transaction(async (connection) => {
    await connection.query(BEGIN, values)
    if (replaces) await connection.query('DELETE FROM user_session WHERE id = $1', [replaces])
    await connection.query(SURPLUS, [userId])
    return id
  })
}
