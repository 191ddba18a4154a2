import { type AccountCtx, requireUser } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { deviceOf } from '../../../platform/network/user-agent.ts'

/** A session as listed for its user. */
export interface ListedSession {
  id: string
  /** Browser and operating system as text, as far as the user agent names them. */
  device: string
  kind: 'computer' | 'phone' | 'program'
  address: string
  /** `password`, or the provider's name. */
  method: string
  createdAt: Date
  lastSeenAt: Date
  /** Whether it is the session of this request. */
  here: boolean
}

/** Returns the signed-in user's sessions, the most recently seen first. */
export async function listSessions(ctx: AccountCtx): Promise<ListedSession[]> {
  const { userId, sessionId } = requireUser(ctx)
  const rows = await db().$queryRaw<Row[]>`
    SELECT id, user_agent, address, method, created_at, last_seen_at FROM user_session
    WHERE user_id = ${userId} AND NOT mfa_pending AND expires_at > service_now() ORDER BY last_seen_at DESC, id`
  return rows.map(({ id, user_agent, address, method, created_at, last_seen_at }) => {
    const seen = { address, method, createdAt: created_at, lastSeenAt: last_seen_at }
    return { id, ...deviceOf(user_agent), ...seen, here: id === sessionId }
  })
}

interface Row {
  id: string
  user_agent: string
  address: string
  method: string
  created_at: Date
  last_seen_at: Date
}
