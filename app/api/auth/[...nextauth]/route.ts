import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from './options'
import { refuse } from './refuse'

/** Settings are read with the request and not when the module loads: a build has none. */
async function handler(request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }): Promise<Response> {
  const [action] = (await context.params).nextauth
  return refuse(request, action) ?? NextAuth(request, context, authOptions())
}

export { handler as GET, handler as POST }
