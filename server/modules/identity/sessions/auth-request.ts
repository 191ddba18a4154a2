import { OTHER_ORIGIN } from '../../../errors.ts'
import { PROVIDERS } from '../sign-in/schema.ts'
import { cookieIn, isOwnOrigin, isSameOrigin, overHttps, returnCookieName } from './cookies.ts'

/** The service's largest form: a password of 200 characters and a token. */
const MAX_FORM = 16_384
const FORM = /^application\/x-www-form-urlencoded\b/i
/** What next-auth serves below /api/auth. */
const ACTIONS = ['callback', 'csrf', 'error', 'providers', 'session', 'signin', 'signout', 'verify-request', '_log']
/** An error that next-auth writes into a header. */
const ERROR = /^[\x20-\x7e]{0,500}$/

const sentence = (status: number, words: string, headers: Record<string, string> = {}) =>
  new Response(words, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } })

/**
 * Returns the response to a request that no page of the service sends: one that next-auth would fail with a 500, comes from another site,
 * leads to another site, or has a form of unknown or excessive size. Undefined for all others. `path` is the part after /api/auth.
 */
export async function refuseAuthRequest(request: Request, path: string[]): Promise<Response | undefined> {
  const { method, headers } = request
  const [action = '', provider] = path
  if (!ACTIONS.includes(action) || path.length > 2) return sentence(404, 'There is no such page.')
  // Providers redirect back with a GET; a password sign-in sends a form.
  if (method === 'GET' && action === 'callback' && !PROVIDERS.some((name) => name === provider))
    return sentence(405, 'Use POST to sign in.', { Allow: 'POST' })
  if (method === 'POST' && !isSameOrigin(headers)) return sentence(403, OTHER_ORIGIN)
  if (method === 'POST' && !FORM.test(headers.get('content-type') ?? ''))
    return sentence(415, 'Content-Type must be application/x-www-form-urlencoded.')
  const back = cookieIn(headers.get('cookie') ?? undefined, returnCookieName())
  if (back !== undefined && !isAddress(back))
    return sentence(400, 'A cookie from this site was invalid, so we removed it. Try again.', {
      'Set-Cookie': `${returnCookieName()}=; Path=/; Max-Age=0${overHttps() ? '; Secure' : ''}`,
    })
  // Without a length (chunked) the size is unknown; browsers always send one.
  const length = method === 'POST' ? Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY) : 0
  if (!(length <= MAX_FORM)) return sentence(413, 'The request body is too large.')
  const query = new URL(request.url).searchParams
  const form = method === 'POST' ? new URLSearchParams(await request.clone().text()) : undefined
  const requested = headers.get('x-forwarded-host') ?? headers.get('host')
  for (const fields of [query, ...(form ? [form] : [])])
    if (fields.getAll('callbackUrl').some((url) => url !== '' && !isOwnAddress(url, requested)))
      return sentence(400, 'The callbackUrl parameter must be an address on this site. Open the sign-in page and try again.')
  if (query.getAll('error').some((error) => !ERROR.test(error))) return sentence(400, 'The error parameter is not valid.')
}

/** Returns whether the value is a path or a web address of this service (see `isOwnOrigin`). */
function isOwnAddress(value: string, requested: string | null): boolean {
  const here = 'http://here.invalid'
  if (!URL.canParse(value, value.startsWith('/') ? here : undefined)) return false
  const { protocol, origin } = new URL(value, here)
  return /^https?:$/.test(protocol) && (origin === here ? value.startsWith('/') : isOwnOrigin(origin, requested))
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
