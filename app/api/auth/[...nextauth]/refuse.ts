import { PROVIDERS } from '#server/modules/auth/schema'
import { isSameOrigin } from '#server/trpc/context'

const FORM = /^application\/x-www-form-urlencoded\b/i
const RETURN_COOKIE = /(?:^|;\s*)((?:__Secure-)?next-auth\.callback-url)=([^;]*)/

const sentence = (status: number, words: string, headers: Record<string, string> = {}) => new Response(words, { status, headers })

/**
 * Returns the response to a request that no page of the service sends: one that next-auth would fail with a 500, or one from another site.
 * Returns undefined for all others.
 */
export function refuse({ method, headers }: Request, [action, provider]: string[]): Response | undefined {
  // Providers redirect back with a GET; a sign-in with a password sends a form.
  if (method === 'GET' && action === 'callback' && !PROVIDERS.some((name) => name === provider))
    return sentence(405, 'Use POST to sign in.', { Allow: 'POST' })
  if (method === 'POST' && !isSameOrigin(headers)) return sentence(403, 'This request must come from the dashboard.')
  if (method === 'POST' && !FORM.test(headers.get('content-type') ?? ''))
    return sentence(415, 'Content-Type must be application/x-www-form-urlencoded.')
  const [, name, value] = RETURN_COOKIE.exec(headers.get('cookie') ?? '') ?? []
  if (name && !isAddress(value)) {
    const secure = name.startsWith('__Secure-') ? '; Secure' : ''
    return sentence(400, 'A cookie of this site was not valid and has been removed. Try again.', {
      'Set-Cookie': `${name}=; Path=/; Max-Age=0${secure}`,
    })
  }
}

/** Returns whether the value is a path or a web address, the two forms that next-auth accepts. */
function isAddress(encoded = ''): boolean {
  try {
    const value = decodeURIComponent(encoded)
    return /^https?:$/.test(new URL(value, value.startsWith('/') ? 'http://here.invalid' : undefined).protocol)
  } catch {
    return false
  }
}
