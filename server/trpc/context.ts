import { addressOf, clientInfo } from '../modules/auth/client-ip.ts'
import { renewedCookies } from '../modules/auth/renewed-cookies.ts'
import { readSession } from '../modules/auth/session.ts'
import { env } from '../platform/config.ts'
import { newId } from '../platform/crypto.ts'
import type { DashboardContext } from './init.ts'

/** Returns the context of one dashboard request, from its headers. Cookies are added to `answer`, the headers of the response, if given. */
export async function contextFrom(headers: Headers, answer?: Headers): Promise<DashboardContext> {
  const forwardedFor = headers.get('x-forwarded-for')
  const found = await readSession(headers.get('cookie') ?? undefined, forwardedFor ? addressOf(forwardedFor) : undefined)
  const setCookie = (cookie: string) => answer?.append('Set-Cookie', cookie)
  if (found) for (const cookie of await renewedCookies(headers.get('cookie') ?? undefined, found.ctx)) setCookie(cookie)
  const shownAccount = headers.get('x-reelgate-account') ?? undefined
  return {
    visitor: clientInfo(forwardedFor, { userAgent: headers.get('user-agent') ?? undefined }),
    session: found?.ctx,
    owesSecondFactor: found?.owesSecondFactor ?? false,
    shownAccount,
    requestId: newId('req'),
    sameOrigin: isSameOrigin(headers),
    setCookie,
  }
}

/**
 * Returns whether a request is from the same origin. Browsers send `Sec-Fetch-Site` (over https and on localhost), and `Origin` on every
 * POST. A client that sends neither is no browser and holds only its own cookies.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site) return site === 'same-origin'
  const origin = headers.get('origin')
  if (!origin) return true
  if (!URL.canParse(origin)) return false
  // A proxy may have replaced the host; then the browser used the configured address.
  const host = headers.get('x-forwarded-host') ?? headers.get('host')
  return new URL(origin).host === host || new URL(origin).origin === new URL(env().BASE_URL).origin
}
