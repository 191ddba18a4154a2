import { randomBytes } from 'node:crypto'
import { type NextRequest, NextResponse } from 'next/server'
import { env } from '#server/platform/config'
import { pagePolicy } from './app/_policy'

/**
 * Gives every page a Content-Security-Policy with a nonce of its own. It decides nothing about who may see what: sessions are checked
 * where data is read, so going round this shows nobody anything.
 */
export function proxy(request: NextRequest): NextResponse {
  const { BASE_URL, CDN_URL, SDK_URL } = env()
  const https = BASE_URL.startsWith('https:')
  const nonce = randomBytes(16).toString('base64')
  const policy = pagePolicy({ nonce, cdn: CDN_URL, sdk: SDK_URL, https, dev: process.env.NODE_ENV === 'development' })
  const headers = new Headers(request.headers)
  headers.set('x-nonce', nonce)
  // Where to come back to, for a page that sends somebody to sign in first.
  headers.set('x-path', request.nextUrl.pathname + request.nextUrl.search)
  // Next reads the nonce for its own scripts from here.
  headers.set('Content-Security-Policy', policy)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('Content-Security-Policy', policy)
  if (https) response.headers.set('Strict-Transport-Security', 'max-age=31536000')
  return response
}

/** Pages alone: the embed player and the API reference bring their own policy, files and the APIs are no pages. */
export const config = { matcher: '/((?!api/|v1/|cdn/|\\.well-known/|embed/|player/|reference/|docs/reference|_next/|icon\\.svg).*)' }
