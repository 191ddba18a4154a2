import { env } from '../../../platform/config/config.ts'

export const overHttps = () => env().BASE_URL.startsWith('https:')

/**
 * Returns the name of a cookie of `owner`, with a prefix over https. Browsers send cookies to every port of a host, so a port in BASE_URL
 * is part of the name: two installations on one host would otherwise sign out each other's users. No name starts with another port's name,
 * because next-auth takes cookies whose names start with its own for parts of one value.
 */
export function cookieName(owner: 'next-auth' | 'reelgate', name: string, prefix: '__Host-' | '__Secure-' = '__Host-'): string {
  const { port } = new URL(env().BASE_URL)
  return `${overHttps() ? prefix : ''}${owner}${port && `-${port}`}.${name}`
}

/** Attributes of every sign-in cookie. */
const cookieOptions = () => ({ httpOnly: true, sameSite: 'lax', path: '/', secure: overHttps() }) as const

/**
 * Over https, the `__Host-` prefix restricts the cookie to this exact host. Other hosts of the domain, or an attacker on the network, could
 * set the unprefixed one.
 */
export const sessionCookieName = () => cookieName('next-auth', 'session-token')

/** The cookie in which next-auth keeps where to return to. */
export const returnCookieName = () => cookieName('next-auth', 'callback-url', '__Secure-')

const ATTEMPT_SEC = 15 * 60

/** Returns next-auth's cookies under this installation's names. */
export const nextAuthCookies = () => {
  const options = cookieOptions()
  const attempt = { ...options, maxAge: ATTEMPT_SEC }
  const provider = (name: string) => cookieName('next-auth', name, '__Secure-')
  return {
    sessionToken: { name: sessionCookieName(), options },
    callbackUrl: { name: returnCookieName(), options },
    csrfToken: { name: cookieName('next-auth', 'csrf-token'), options },
    pkceCodeVerifier: { name: provider('pkce.code_verifier'), options: attempt },
    state: { name: provider('state'), options: attempt },
    nonce: { name: provider('nonce'), options },
  }
}

/** Returns the value of a cookie in a `Cookie` header. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const cut = pair.indexOf('=')
    if (cut > 0 && pair.slice(0, cut).trim() === name) return pair.slice(cut + 1).trim()
  }
  return undefined
}

/**
 * Returns whether a request comes from the same origin. Browsers send `Sec-Fetch-Site` (over https and on localhost), and `Origin` with
 * every POST. A client that sends neither is not a browser and holds only its own cookies.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site) return site === 'same-origin'
  const origin = headers.get('origin')
  return !origin || isOwnOrigin(origin, headers.get('x-forwarded-host') ?? headers.get('host'))
}

/** Returns whether an `Origin` names this service: the requested host, which several proxies write as a list, or the host of BASE_URL. */
export function isOwnOrigin(origin: string, requested: string | null | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host, origin: canonical } = new URL(origin)
  const hosts = (requested ?? '').split(',').map((one) => hostIn(protocol, one.trim()))
  // A proxy may have replaced the host. The browser then used the configured address.
  return hosts.includes(hostIn(protocol, host)) || canonical === new URL(env().BASE_URL).origin
}

/** Returns a host in lowercase, without the scheme's default port and a trailing dot. */
function hostIn(protocol: string, host: string): string | undefined {
  const url = `${protocol}//${host}`
  return URL.canParse(url) ? new URL(url).host.replace(/\.(?=:\d+$|$)/, '') : undefined
}
