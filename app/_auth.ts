import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import { sessionFromCookies } from '#server/account/session'
import type { AccountCtx } from '#server/context'

/** Who asks for this page, looked up once a request; undefined when nobody is signed in. */
export const currentSession = cache(async (): Promise<AccountCtx | undefined> => {
  const asked = await headers()
  return sessionFromCookies(asked.get('cookie') ?? undefined)
})

/** The session of a page that needs one; others are sent to sign in and come back, to `from` where nothing says which page it is. */
export async function requireSession(from: string): Promise<AccountCtx> {
  const session = await currentSession()
  if (session) return session
  const path = (await headers()).get('x-path') ?? from
  redirect(path === '/' ? '/sign-in' : `/sign-in?from=${encodeURIComponent(path)}`)
}
