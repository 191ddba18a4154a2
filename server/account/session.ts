import { decode } from 'next-auth/jwt'
import type { AccountCtx, AccountId } from '../context.ts'
import { newId } from '../infra/crypto.ts'
import { db } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { derivedKey } from '../infra/secrets.ts'

/** What a session cookie says. It is believed only as far as the database still agrees. */
export interface SessionClaims {
  userId: string
  accountId: string
}

/** Signs and encrypts session cookies; the same on every replica that shares the root secret. */
export const sessionSecret = () => derivedKey('session').toString('hex')

/** next-auth's name for its cookie. Over https only the one that browsers take over https alone: anybody on the way could set the other. */
const COOKIE = /(?:^|;\s*)next-auth\.session-token=([^;]+)/
const SECURE_COOKIE = /(?:^|;\s*)__Secure-next-auth\.session-token=([^;]+)/

/**
 * Whose session a `Cookie` header carries; undefined when it carries none that holds. Membership and role are read
 * each time, so that somebody who was removed is out with their next request. The one place a session becomes an AccountId.
 */
export async function sessionFromCookies(cookieHeader: string | undefined): Promise<AccountCtx | undefined> {
  const claims = await readClaims(cookieHeader)
  if (!claims) return undefined
  const { accountId, userId } = claims
  const membership = await db().membership.findUnique({
    where: { accountId_userId: { accountId, userId } },
    select: { role: true, user: { select: { email: true } } },
  })
  if (!membership) return undefined
  const actor = { kind: 'user', userId, email: membership.user.email, role: membership.role } as const
  return { accountId: accountId as AccountId, actor, requestId: newId('req') }
}

async function readClaims(cookieHeader: string | undefined): Promise<SessionClaims | undefined> {
  const cookie = env().BASE_URL.startsWith('https:') ? SECURE_COOKIE : COOKIE
  const value = cookie.exec(cookieHeader ?? '')?.[1]
  if (!value) return undefined
  try {
    const claims = await decode({ token: decodeURIComponent(value), secret: sessionSecret() })
    const { userId, accountId } = (claims ?? {}) as Partial<SessionClaims>
    return typeof userId === 'string' && typeof accountId === 'string' ? { userId, accountId } : undefined
  } catch {
    // Expired, from another installation, or tampered with: simply not signed in.
    return undefined
  }
}
