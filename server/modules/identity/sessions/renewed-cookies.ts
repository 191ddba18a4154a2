import type { AccountCtx } from '../../../context.ts'
import { renewedDevice } from '../sign-in/known-device.ts'
import { sessionCookie, sessionCookieOf } from './session.ts'

/** Returns `Set-Cookie` headers for cookies sealed under the previous root secret: the same contents under the current one. */
export async function renewedCookies(cookieHeader: string | undefined, { sessionId, actor }: AccountCtx): Promise<string[]> {
  const outdated = (await sessionCookieOf(cookieHeader))?.outdated
  const device = actor.kind === 'user' ? renewedDevice(cookieHeader, actor.email) : undefined
  return [...(outdated && sessionId ? [await sessionCookie(sessionId)] : []), ...(device ? [device] : [])]
}
