import { isSameOrigin } from '../modules/identity/sessions/cookies.ts'
import { renewedCookies } from '../modules/identity/sessions/renewed-cookies.ts'
import { readSession } from '../modules/identity/sessions/session.ts'
import { addressOf, clientInfo } from '../modules/identity/sign-in/client-ip.ts'
import { newId } from '../platform/secrets/crypto.ts'
import type { DashboardContext } from './init.ts'

/** Returns the context of one dashboard request from its headers. Adds cookies to `answer`, the response's headers, if given. */
export async function contextFrom(headers: Headers, answer?: Headers): Promise<DashboardContext> {
  const forwardedFor = headers.get('x-forwarded-for')
  const found = await readSession(headers.get('cookie') ?? undefined, forwardedFor ? addressOf(forwardedFor) : undefined)
  const setCookie = (cookie: string) => answer?.append('Set-Cookie', cookie)
  if (found) for (const cookie of await renewedCookies(headers.get('cookie') ?? undefined, found.own ?? found.ctx)) setCookie(cookie)
  const shownAccount = headers.get('x-reelgate-account') ?? undefined
  return {
    visitor: clientInfo(forwardedFor, { userAgent: headers.get('user-agent') ?? undefined }),
    session: found?.ctx,
    ownSession: found?.own ?? found?.ctx,
    owesSecondFactor: found?.owesSecondFactor ?? false,
    shownAccount,
    requestId: newId('req'),
    sameOrigin: isSameOrigin(headers),
    setCookie,
  }
}
