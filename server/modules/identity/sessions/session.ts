import type { JWT, JWTDecodeParams } from 'next-auth/jwt'
import type { AccountCtx, AccountId } from '../../../context.ts'
import { secondFactorMissing } from '../../../errors.ts'
import type { Role } from '../../../permissions.ts'
import { derivedKeys } from '../../../platform/config/secrets.ts'
import { query } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { noteAccount } from '../../../platform/turns/caller.ts'
import { cookieIn, overHttps, sessionCookieName } from './cookies.ts'
import { readOwnerView } from './owner-view.ts'

/** Contents of a session cookie: its row's ID. Everything else is read from the row. */
export interface SessionClaims {
  sessionId: string
}

/** Maximum lifetime of a session, in seconds. */
export const SESSION_SEC = 30 * 24 * 3_600

/** Loaded by the first cookie, because its many modules take a tenth of the time that a process needs to load the HTTP server. */
const jwt = () => import('next-auth/jwt')

/** Secrets that decrypt session cookies. The first also encrypts them. The same on every replica with the same root secret. */
const sessionSecrets = () => derivedKeys('session').map((key) => key.toString('hex'))
export const sessionSecret = () => sessionSecrets()[0] as string

/** Returns a session as a `Set-Cookie` header. */
export async function sessionCookie(sessionId: string): Promise<string> {
  const { encode } = await jwt()
  const value = await encode({ token: { sessionId } satisfies SessionClaims, secret: sessionSecret(), maxAge: SESSION_SEC })
  return `${sessionCookieName()}=${value}; Path=/; Max-Age=${SESSION_SEC}; HttpOnly; SameSite=Lax${overHttps() ? '; Secure' : ''}`
}

interface Row {
  user_id: string
  account_id: string
  role: Role
  email: string
  stale: boolean
  owes: boolean
  suspended: boolean
  view: string | null
}

/** The signed-in user, and whether the account requires a second factor that they have not set up. */
export interface Session {
  ctx: AccountCtx
  /** The user's own context, if `ctx` belongs to a view as owner. */
  own?: AccountCtx
  owesSecondFactor: boolean
}

/**
 * SQL: whether a user's (`u`) session (`s`) lacks the second factor that its account (`a`) requires. Single sign-on (`oidc`) is the
 * operator's own provider, which requires its own second factor; GitHub and Google do not report whether they did.
 */
export const LACKS_REQUIRED_SECOND_FACTOR = `(a.requires_second_factor AND u.totp_confirmed_at IS NULL AND s.method <> 'oidc')`

/** A user removed from one account continues in their oldest. */
const SESSION = `
  SELECT s.user_id, m.account_id, m.role, u.email, s.last_seen_at < service_now() - interval '1 minute' AS stale,
    a.suspended_at IS NOT NULL AS suspended, ${LACKS_REQUIRED_SECOND_FACTOR} AS owes,
    (SELECT v.id FROM owner_view v WHERE v.session_id = s.id AND v.ended_at IS NULL AND v.expires_at > service_now()) AS view
  FROM user_session s JOIN app_user u ON u.id = s.user_id JOIN membership m ON m.user_id = s.user_id JOIN account a ON a.id = m.account_id
  WHERE s.id = $1 AND s.expires_at > service_now() AND NOT s.mfa_pending AND u.suspended_at IS NULL
  ORDER BY (m.account_id IS NOT DISTINCT FROM s.account_id) DESC, m.created_at, m.account_id LIMIT 1`

const SEEN = `UPDATE user_session SET last_seen_at = service_now(), address = coalesce($2, address) WHERE id = $1`

/**
 * Returns the session of a `Cookie` header. Undefined without a valid one. Reads session, membership and role each time, so that sign-out
 * and removal apply to the next request. Records `address` once a minute. The only place where a session becomes an AccountId. The caller
 * must refuse a session that owes a second factor.
 */
export async function readSession(cookieHeader: string | undefined, address?: string): Promise<Session | undefined> {
  const sessionId = await claimedSession(cookieHeader)
  if (!sessionId) return undefined
  const [row] = await query<Row>('session', SESSION, [sessionId])
  if (!row) return undefined
  noteAccount(row.account_id, row.user_id)
  if (row.stale) await query('session-seen', SEEN, [sessionId, address ?? null])
  const actor = { kind: 'user', userId: row.user_id, email: row.email, role: row.role } as const
  const found = { accountId: row.account_id as AccountId, actor, requestId: newId('req'), sessionId }
  const ctx = { ...found, ...(address && { address }), ...(row.suspended && { suspended: true as const }) }
  const view = row.view === null ? undefined : await readOwnerView(ctx, row.view)
  return view ? { ctx: view, own: ctx, owesSecondFactor: row.owes } : { ctx, owesSecondFactor: row.owes }
}

/** Like `readSession`, for work in the account. Errors: FORBIDDEN while the session lacks the second factor that the account requires. */
export async function sessionFromCookies(cookieHeader: string | undefined, address?: string): Promise<AccountCtx | undefined> {
  const session = await readSession(cookieHeader, address)
  if (session?.owesSecondFactor) throw secondFactorMissing(MEMBERS)
  return session?.ctx
}

/** Who an account's second-factor requirement applies to, in the text of a refusal. */
export const MEMBERS = 'Members of this account'

/** Returns the ID in a session cookie with a valid seal, without checking that the session exists. */
export const claimedSession = async (cookieHeader: string | undefined): Promise<string | undefined> =>
  (await sessionCookieOf(cookieHeader))?.sessionId

/** Returns a session cookie's contents, and whether it is sealed under a root secret that is being replaced. */
export async function sessionCookieOf(cookieHeader: string | undefined): Promise<{ sessionId: string; outdated: boolean } | undefined> {
  const value = cookieIn(cookieHeader, sessionCookieName())
  if (!value) return undefined
  try {
    const token = decodeURIComponent(value)
    const { claims, secret } = await openJwt({ token, secret: sessionSecret() })
    const { sessionId } = (claims ?? {}) as Partial<SessionClaims>
    return typeof sessionId === 'string' ? { sessionId, outdated: secret !== sessionSecret() } : undefined
  } catch {
    // Expired, from another installation, or tampered with: treated as not signed in.
    return undefined
  }
}

/** Decrypts a next-auth cookie with the current or the previous root secret. Throws if neither matches. */
export const decodeJwt = async (given: JWTDecodeParams): Promise<JWT | null> => (await openJwt(given)).claims

async function openJwt(given: JWTDecodeParams): Promise<{ claims: JWT | null; secret: string }> {
  const { decode } = await jwt()
  const [last = '', ...others] = sessionSecrets().toReversed()
  for (const secret of others.reverse()) {
    try {
      return { claims: await decode({ ...given, secret }), secret }
    } catch {
      // The cookie may be sealed under the other secret; the last attempt throws.
    }
  }
  return { claims: await decode({ ...given, secret: last }), secret: last }
}
