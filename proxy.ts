import { randomBytes } from 'node:crypto'
import { type NextRequest, NextResponse } from 'next/server'
import { env } from '#server/platform/config/config'
import { pagePolicy } from './app/_policy'

/**
 * Gives every page a Content-Security-Policy with its own nonce. Makes no access decision: sessions are checked where data is read, so
 * bypassing this reveals no data.
 */
export function proxy(request: NextRequest): NextResponse {
  const { BASE_URL, CDN_URL, SDK_URL } = env()
  const https = BASE_URL.startsWith('https:')
  const nonce = randomBytes(16).toString('base64')
  const policy = pagePolicy({ nonce, cdn: CDN_URL, sdk: SDK_URL, https, dev: process.env.NODE_ENV === 'development' })
  const headers = new Headers(request.headers)
  headers.set('x-nonce', nonce)
  // The address to return to after a sign-in that a page requires.
  headers.set('x-path', request.nextUrl.pathname + request.nextUrl.search)
  // Next reads the nonce for its own scripts from here.
  headers.set('Content-Security-Policy', policy)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('Content-Security-Policy', policy)
  if (https) response.headers.set('Strict-Transport-Security', 'max-age=31536000')
  return response
}

/** Matches pages alone: the embed player and the watch page set their own policy; files and the APIs are not pages. */
export const config = { matcher: '/((?!api/|v1/|cdn/|\\.well-known/|embed/|watch/|player/|_next/|icon\\.svg).*)' }
