import type { AccountCtx } from '../../context.ts'
import { renewedDevice } from './known-device.ts'
import { sessionCookie, sessionCookieOf } from './session.ts'

/** `Set-Cookie` headers for a browser whose cookies are of a root secret that is being replaced: the same, of the present one. */
export async function renewedCookies(cookieHeader: string | undefined, { sessionId, actor }: AccountCtx): Promise<string[]> {
  const outdated = (await sessionCookieOf(cookieHeader))?.outdated
  const device = actor.kind === 'user' ? renewedDevice(cookieHeader, actor.email) : undefined
  return [...(outdated && sessionId ? [await sessionCookie(sessionId)] : []), ...(device ? [device] : [])]
}
