import type { AccountCtx } from '../context.ts'
import { sessionCookie } from '../modules/identity/sessions/session.ts'
import { beginSession } from '../modules/identity/sessions/sessions.ts'
import { addressOf } from '../modules/identity/sign-in/client-ip.ts'

/** Signs in the context's user; returns the `Cookie` header of the session. */
export async function cookieFor(ctx: AccountCtx, userAgent = 'a test'): Promise<string> {
  if (ctx.actor.kind !== 'user') throw new Error('only people sign in')
  const beginning = { method: 'password', mfaPending: false, address: addressOf('192.0.2.1'), userAgent, replaces: undefined }
  const cookie = await sessionCookie(await beginSession({ userId: ctx.actor.userId, ...beginning }))
  return cookie.slice(0, cookie.indexOf(';'))
}
