import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { ERRORS } from '#server/errors'
import { refuseAuthRequest } from '#server/modules/identity/sessions/auth-request'
import { readSession } from '#server/modules/identity/sessions/session'
import { SignInAttempt } from '#server/modules/identity/sign-in/sign-in-attempt'
import { sentence } from '../../_signed-in'
import { authOptions } from './options'

interface RouteContext {
  params: Promise<{ nextauth: string[] }>
}

/** Serves next-auth through its handler for route handlers ("advanced initialization"), with options created for each request. */
async function handler(request: NextRequest, context: RouteContext): Promise<Response> {
  const { nextauth } = await context.params
  const refused = (await refuseAuthRequest(request, nextauth)) ?? (await refuseOwnerView(request, nextauth))
  if (refused) return refused
  const attempt = new SignInAttempt(request.headers)
  return complete(await NextAuth(request, context, authOptions(attempt)), attempt)
}

/** Refuses to sign in from a view as owner, which is read-only; a sign-out ends the view with its session. */
async function refuseOwnerView({ method, headers }: Request, [action]: string[]): Promise<Response | undefined> {
  if (method !== 'POST' || action === 'signout') return undefined
  const session = await readSession(headers.get('cookie') ?? undefined)
  if (!session?.ctx.ownerView) return undefined
  return sentence('FORBIDDEN', 'You are viewing an account as its owner. End the view before you sign in.')
}

/** Adds the attempt's cookies to next-auth's response, and replaces its 401, which it returns for every refusal, where there is a wait. */
function complete(response: Response, { cookies, refusal }: SignInAttempt): Response {
  const headers = new Headers(response.headers)
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  if (refusal) headers.set('Retry-After', String(refusal.extras.retryAfter))
  return new Response(response.body, { status: refusal ? ERRORS[refusal.code].status : response.status, headers })
}

export { handler as GET, handler as POST }
