import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import type { AccountCtx } from '#server/context'
import { readSession, type Session } from '#server/modules/auth/session'

/** Who asks for this page, looked up once a request; undefined without a sign-in. A session that owes a second factor is one, too. */
export const currentSession = cache(async (): Promise<Session | undefined> => {
  const asked = await headers()
  return readSession(asked.get('cookie') ?? undefined)
})

/**
 * The session of a page that needs one; others are sent to sign in and come back, to `from` where nothing says which page it is. Who owes
 * their account a second factor is sent to set it up.
 */
export async function requireSession(from: string): Promise<AccountCtx> {
  const session = await currentSession()
  if (session?.owesSecondFactor) redirect('/two-factor')
  if (session) return session.ctx
  const path = (await headers()).get('x-path') ?? from
  redirect(path === '/' ? '/sign-in' : `/sign-in?from=${encodeURIComponent(path)}`)
}
