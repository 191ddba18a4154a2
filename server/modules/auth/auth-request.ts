import { OTHER_ORIGIN } from '../../errors.ts'
import { cookieIn, overHttps, returnCookieName } from './cookie-names.ts'
import { isSameOrigin } from './same-origin.ts'
import { PROVIDERS } from './schema.ts'

/** Largest form of the service: a password of 200 characters and a token. */
const MAX_FORM = 16_384
const FORM = /^application\/x-www-form-urlencoded\b/i

const sentence = (status: number, words: string, headers: Record<string, string> = {}) => new Response(words, { status, headers })

/**
 * Returns the response to a request that no page of the service sends: one that next-auth would fail with a 500, one from another site, or
 * one with a form of unknown or excessive size. Returns undefined for all others. `path` is the part after /api/auth.
 */
export function refuseAuthRequest({ method, headers }: Request, [action, provider]: string[]): Response | undefined {
  // Providers redirect back with a GET; a sign-in with a password sends a form.
  if (method === 'GET' && action === 'callback' && !PROVIDERS.some((name) => name === provider))
    return sentence(405, 'Use POST to sign in.', { Allow: 'POST' })
  if (method === 'POST' && !isSameOrigin(headers)) return sentence(403, OTHER_ORIGIN)
  if (method === 'POST' && !FORM.test(headers.get('content-type') ?? ''))
    return sentence(415, 'Content-Type must be application/x-www-form-urlencoded.')
  const back = cookieIn(headers.get('cookie') ?? undefined, returnCookieName())
  if (back !== undefined && !isAddress(back))
    return sentence(400, 'A cookie of this site was not valid and has been removed. Try again.', {
      'Set-Cookie': `${returnCookieName()}=; Path=/; Max-Age=0${overHttps() ? '; Secure' : ''}`,
    })
  // Without a length (chunked) the size is unknown; browsers always send one.
  const length = method === 'POST' ? Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY) : 0
  if (!(length <= MAX_FORM)) return sentence(413, 'The request body is too large.')
}

/** Returns whether the value is a path or a web address, the two forms that next-auth accepts. */
function isAddress(encoded: string): boolean {
  try {
    const value = decodeURIComponent(encoded)
    return /^https?:$/.test(new URL(value, value.startsWith('/') ? 'http://here.invalid' : undefined).protocol)
  } catch {
    return false
  }
}
