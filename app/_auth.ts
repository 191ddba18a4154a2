import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import type { AccountCtx } from '#server/context'
import { readSession, type Session } from '#server/modules/identity/sessions/session'

/**
 * Returns the session of the request, read once per request; undefined without a sign-in. Includes a session that still owes a second
 * factor.
 */
export const currentSession = cache(async (): Promise<Session | undefined> => {
  const asked = await headers()
  return readSession(asked.get('cookie') ?? undefined)
})

/**
 * Returns the session of a page that requires one. Redirects other visitors to the sign-in page and back, to `from` if the request does not
 * name its page. Redirects a user who owes the account a second factor to the set-up page.
 */
export async function requireSession(from: string): Promise<AccountCtx> {
  const session = await currentSession()
  if (session?.owesSecondFactor) redirect('/two-factor')
  if (session) return session.ctx
  const path = (await headers()).get('x-path') ?? from
  redirect(path === '/' ? '/sign-in' : `/sign-in?from=${encodeURIComponent(path)}`)
}
