import { env } from '../../../platform/config/config.ts'

/**
 * Returns whether a request is from the same origin. Browsers send `Sec-Fetch-Site` (over https and on localhost), and `Origin` on every
 * POST. A client that sends neither is no browser and holds only its own cookies.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site) return site === 'same-origin'
  const origin = headers.get('origin')
  return !origin || isOwnOrigin(origin, headers.get('x-forwarded-host') ?? headers.get('host'))
}

/** Returns whether an `Origin` names this service: the requested host, of which several proxies write a list, or that of BASE_URL. */
export function isOwnOrigin(origin: string, requested: string | null | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host, origin: canonical } = new URL(origin)
  const hosts = (requested ?? '').split(',').map((one) => hostIn(protocol, one.trim()))
  // A proxy may have replaced the host; then the browser used the configured address.
  return hosts.includes(hostIn(protocol, host)) || canonical === new URL(env().BASE_URL).origin
}

/** Returns a host in lower case, without the scheme's own port and the dot that ends a full name. */
function hostIn(protocol: string, host: string): string | undefined {
  const url = `${protocol}//${host}`
  return URL.canParse(url) ? new URL(url).host.replace(/\.(?=:\d+$|$)/, '') : undefined
}
