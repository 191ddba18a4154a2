import { decode, encode, type JWT, type JWTDecodeParams } from 'next-auth/jwt'
import type { AccountCtx, AccountId } from '../../context.ts'
import { secondFactorMissing } from '../../errors.ts'
import type { Role } from '../../permissions.ts'
import { env } from '../../platform/config.ts'
import { newId } from '../../platform/crypto.ts'
import { query } from '../../platform/database.ts'
import { derivedKeys } from '../../platform/secrets.ts'

/** What a session cookie says: which row it stands for. Everything else is read from there. */
export interface SessionClaims {
  sessionId: string
}

/** Longest life of a session, in seconds. */
export const SESSION_SEC = 30 * 24 * 3_600

/** What opens session cookies; the first signs and encrypts them. The same on every replica that shares the root secret. */
const sessionSecrets = () => derivedKeys('session').map((key) => key.toString('hex'))
export const sessionSecret = () => sessionSecrets()[0] as string

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
  owes: boolean
  suspended: boolean
}

/** Who is signed in, and whether their account asks for a second factor that they have not set up. */
export interface Session {
  ctx: AccountCtx
  owesSecondFactor: boolean
}

/**
 * Whether a session (`s`) of a person (`u`) lacks what its account (`a`) requires, in SQL. Single sign-on is the operator's own provider, which
 * asks for its own second factor; GitHub and Google are the person's, and say nothing of one.
 */
export const OWES_SECOND_FACTOR = `(a.requires_second_factor AND u.totp_since IS NULL AND s.method <> 'oidc')`

/** Somebody removed from one account works on in their oldest. */
const SESSION = `
  SELECT s.user_id, m.account_id, m.role, u.email, s.last_seen_at < service_now() - interval '1 minute' AS stale,
    a.suspended_at IS NOT NULL AS suspended, ${OWES_SECOND_FACTOR} AS owes
  FROM user_session s JOIN app_user u ON u.id = s.user_id JOIN membership m ON m.user_id = s.user_id JOIN account a ON a.id = m.account_id
  WHERE s.id = $1 AND s.expires_at > service_now() AND NOT s.awaits_code AND u.suspended_at IS NULL
  ORDER BY (m.account_id IS NOT DISTINCT FROM s.account_id) DESC, m.created_at, m.account_id LIMIT 1`

const SEEN = `UPDATE user_session SET last_seen_at = service_now(), address = coalesce($2, address) WHERE id = $1`

/**
 * Whose session a `Cookie` header carries; undefined when it carries none that holds. The session, membership and role are read
 * each time, so that somebody who was signed out or removed is out with their next request. `address` is where they were seen,
 * noted once a minute. The one place a session becomes an AccountId. Who takes this must refuse a session that owes a second factor.
 */
export async function readSession(cookieHeader: string | undefined, address?: string): Promise<Session | undefined> {
  const sessionId = await claimedSession(cookieHeader)
  if (!sessionId) return undefined
  const [row] = await query<Row>('session', SESSION, [sessionId])
  if (!row) return undefined
  if (row.stale) await query('session-seen', SEEN, [sessionId, address ?? null])
  const actor = { kind: 'user', userId: row.user_id, email: row.email, role: row.role } as const
  const found = { accountId: row.account_id as AccountId, actor, requestId: newId('req'), sessionId }
  const ctx = { ...found, ...(address && { address }), ...(row.suspended && { suspended: true as const }) }
  return { ctx, owesSecondFactor: row.owes }
}

/** The same for work in the account. Errors: FORBIDDEN while the session owes a second factor that the account requires. */
export async function sessionFromCookies(cookieHeader: string | undefined, address?: string): Promise<AccountCtx | undefined> {
  const session = await readSession(cookieHeader, address)
  if (session?.owesSecondFactor) throw secondFactorMissing(MEMBERS)
  return session?.ctx
}

/** Of whom an account's requirement asks it, for a refusal's words. */
export const MEMBERS = 'Members of this account'

/** The id in a session cookie of ours; whether such a session holds, the database says. */
export const claimedSession = async (cookieHeader: string | undefined): Promise<string | undefined> =>
  (await sessionCookieOf(cookieHeader))?.sessionId

/** What a session cookie says, and whether it is of a root secret that is being replaced. */
export async function sessionCookieOf(cookieHeader: string | undefined): Promise<{ sessionId: string; outdated: boolean } | undefined> {
  const name = sessionCookieName().replaceAll('.', '\\.')
  const value = new RegExp(`(?:^|;\\s*)${name}=([^;]+)`).exec(cookieHeader ?? '')?.[1]
  if (!value) return undefined
  try {
    const token = decodeURIComponent(value)
    const { claims, secret } = await openJwt({ token, secret: sessionSecret() })
    const { sessionId } = (claims ?? {}) as Partial<SessionClaims>
    return typeof sessionId === 'string' ? { sessionId, outdated: secret !== sessionSecret() } : undefined
  } catch {
    // Expired, from another installation, or tampered with: simply not signed in.
    return undefined
  }
}

/** Opens what next-auth put into a cookie, under the root secret before as well. Throws when it is under neither. */
export const decodeJwt = async (given: JWTDecodeParams): Promise<JWT | null> => (await openJwt(given)).claims

async function openJwt(given: JWTDecodeParams): Promise<{ claims: JWT | null; secret: string }> {
  const [last = '', ...others] = sessionSecrets().toReversed()
  for (const secret of others.reverse()) {
    try {
      return { claims: await decode({ ...given, secret }), secret }
    } catch {
      // It may be of the other secret: the last one decides.
    }
  }
  return { claims: await decode({ ...given, secret: last }), secret: last }
}
