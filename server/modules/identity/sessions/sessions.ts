import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, query, type Tx, transaction } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { deviceOf } from '../../../platform/network/user-agent.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { recordSecurity } from '../../audit/security.ts'
import type { SwitchAccountInput } from '../members/member-schema.ts'
import type { SessionIdInput } from '../sign-in/schema.ts'
import { SESSION_SEC } from './session.ts'

/** Method and origin of a sign-in. */
interface NewSession {
  userId: string
  /** `password`, or the provider's name. */
  method: string
  /** Whether the second step is missing. Until then, the session grants no access, and it expires after ten minutes. */
  mfaPending: boolean
  address: string
  userAgent: string
  /** The browser's previous session, which ends, so that no cookie from before the sign-in stays valid afterwards. */
  replaces: string | undefined
}

/**
 * Maximum number of complete sessions per user, and of those that lack the second step: the password alone must not end complete ones. The
 * oldest are deleted.
 */
const MAX_SESSIONS = 50
const MFA_PENDING_SEC = 600

const BEGIN = `
  INSERT INTO user_session (id, user_id, account_id, method, mfa_pending, address, user_agent, created_at, last_seen_at, expires_at)
  VALUES ($1, $2, (SELECT account_id FROM user_session WHERE id = $7 AND user_id = $2), $3, $4, $5, $6, service_now(), service_now(),
    service_now() + make_interval(secs => $8))`
const SURPLUS = `
  DELETE FROM user_session WHERE id IN (SELECT id FROM user_session WHERE user_id = $1 AND mfa_pending = $2 ORDER BY created_at DESC, id OFFSET ${MAX_SESSIONS})`

/** Creates a session and ends the one it replaces. Returns its ID, which only the cookie stores. */
export function beginSession({ userId, method, mfaPending, address, userAgent, replaces }: NewSession): Promise<string> {
  const id = newId('ses')
  const lifetime = mfaPending ? MFA_PENDING_SEC : SESSION_SEC
  const values = [id, userId, method, mfaPending, address, userAgent.slice(0, 300), replaces ?? null, lifetime]
  return transaction(async (connection) => {
    await connection.query(BEGIN, values)
    if (replaces) await connection.query('DELETE FROM user_session WHERE id = $1', [replaces])
    await connection.query(SURPLUS, [userId, mfaPending])
    return id
  })
}

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

/** A session as listed for its user. */
interface ListedSession {
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

/** Returns the signed-in user's sessions, most recently seen first. */
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

/** Deletes expired sessions, password reset links, sign-up links and attempt limits. Runs as the job `session.sweep`. */
export async function sweepSessions(signal?: AbortSignal): Promise<void> {
  for (const table of ['user_session', 'email_link']) await deleteInSlices(table, 'expires_at <= service_now()', [], signal)
  await deleteInSlices('shared_limit', 'available_at <= service_now()', [], signal)
}

const SWITCH = `
  UPDATE user_session SET account_id = $1
  WHERE id = $2 AND user_id = $3 AND EXISTS (SELECT 1 FROM membership WHERE account_id = $1 AND user_id = $3) RETURNING id`

/** Switches this session to another account of the user. Errors: NOT_FOUND for an account that they are not a member of. */
export async function switchAccount(ctx: AccountCtx, { accountId }: SwitchAccountInput): Promise<void> {
  const { userId, sessionId } = requireUser(ctx)
  const switched = await query('session-switch', SWITCH, [accountId, sessionId ?? null, userId])
  if (switched.length === 0) throw new ServiceError('NOT_FOUND', { message: 'You are not a member of this account.' })
}
