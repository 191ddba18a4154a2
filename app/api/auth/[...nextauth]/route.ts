import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { ERRORS } from '#server/errors'
import { refuseAuthRequest } from '#server/modules/auth/auth-request'
import { SignInAttempt } from '#server/modules/auth/sign-in-attempt'
import { authOptions } from './options'

interface RouteContext {
  params: Promise<{ nextauth: string[] }>
}

/** Serves next-auth through its handler for route handlers ("advanced initialization"), with options created for each request. */
async function handler(request: NextRequest, context: RouteContext): Promise<Response> {
  const refused = refuseAuthRequest(request, (await context.params).nextauth)
  if (refused) return refused
  const attempt = new SignInAttempt(request.headers)
  return complete(await NextAuth(request, context, authOptions(attempt)), attempt)
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
