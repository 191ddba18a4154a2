import { decode, encode } from 'next-auth/jwt'
import type { AccountCtx, AccountId } from '../context.ts'
import { newId } from '../infra/crypto.ts'
import { query } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { derivedKey } from '../infra/secrets.ts'
import type { Role } from '../roles.ts'

/** What a session cookie says: which row it stands for. Everything else is read from there. */
export interface SessionClaims {
  sessionId: string
}

/** Longest life of a session, in seconds. */
export const SESSION_SEC = 30 * 24 * 3_600

/** Signs and encrypts session cookies; the same on every replica that shares the root secret. */
export const sessionSecret = () => derivedKey('session').toString('hex')

export const overHttps = () => env().BASE_URL.startsWith('https:')

/** Over https the one that browsers take from this very host alone, over https alone: a neighbour, or anybody on the way, could set the other. */
export const sessionCookieName = () => (overHttps() ? '__Host-next-auth.session-token' : 'next-auth.session-token')

/** How the cookie of a session is set, beside its name and value. */
export const sessionCookieOptions = () => ({ httpOnly: true, sameSite: 'lax', path: '/', secure: overHttps() }) as const

/** A session as a `Set-Cookie` header. */
export async function sessionCookie(sessionId: string): Promise<string> {
  const value = await encode({ token: { sessionId } satisfies SessionClaims, secret: sessionSecret(), maxAge: SESSION_SEC })
  return `${sessionCookieName()}=${value}; Path=/; Max-Age=${SESSION_SEC}; HttpOnly; SameSite=Lax${overHttps() ? '; Secure' : ''}`
}

interface Row {
  user_id: string
  account_id: string
  role: Role
  email: string
  stale: boolean
  suspended: boolean
}

/** Somebody removed from one account works on in their oldest. */
const SESSION = `
  SELECT s.user_id, m.account_id, m.role, u.email, s.last_seen_at < service_now() - interval '1 minute' AS stale,
    a.suspended_at IS NOT NULL AS suspended
  FROM user_session s JOIN app_user u ON u.id = s.user_id JOIN membership m ON m.user_id = s.user_id JOIN account a ON a.id = m.account_id
  WHERE s.id = $1 AND s.expires_at > service_now() AND NOT s.awaits_code AND u.suspended_at IS NULL
  ORDER BY (m.account_id IS NOT DISTINCT FROM s.account_id) DESC, m.created_at, m.account_id LIMIT 1`

const SEEN = `UPDATE user_session SET last_seen_at = service_now(), address = coalesce($2, address) WHERE id = $1`

/**
 * Whose session a `Cookie` header carries; undefined when it carries none that holds. The session, membership and role are read
 * each time, so that somebody who was signed out or removed is out with their next request. `address` is where they were seen,
 * noted once a minute. The one place a session becomes an AccountId.
 */
export async function sessionFromCookies(cookieHeader: string | undefined, address?: string): Promise<AccountCtx | undefined> {
  const sessionId = await claimedSession(cookieHeader)
  if (!sessionId) return undefined
  const [row] = await query<Row>('session', SESSION, [sessionId])
  if (!row) return undefined
  if (row.stale) await query('session-seen', SEEN, [sessionId, address ?? null])
  const actor = { kind: 'user', userId: row.user_id, email: row.email, role: row.role } as const
  const ctx = { accountId: row.account_id as AccountId, actor, requestId: newId('req'), sessionId }
  return row.suspended ? { ...ctx, suspended: true } : ctx
}

/** The id in a session cookie of ours; whether such a session holds, the database says. */
export async function claimedSession(cookieHeader: string | undefined): Promise<string | undefined> {
  const name = sessionCookieName().replaceAll('.', '\\.')
  const value = new RegExp(`(?:^|;\\s*)${name}=([^;]+)`).exec(cookieHeader ?? '')?.[1]
  if (!value) return undefined
  try {
    const claims = (await decode({ token: decodeURIComponent(value), secret: sessionSecret() })) as Partial<SessionClaims> | null
    return typeof claims?.sessionId === 'string' ? claims.sessionId : undefined
  } catch {
    // Expired, from another installation, or tampered with: simply not signed in.
    return undefined
  }
}
