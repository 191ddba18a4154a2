import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from './options'

/** Settings are read with the request and not when the module loads: a build has none. */
const handler = (request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }) => NextAuth(request, context, authOptions())

export { handler as GET, handler as POST }
