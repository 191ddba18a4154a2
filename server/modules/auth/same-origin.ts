import { env } from '../../platform/config.ts'

/**
 * Returns whether a request is from the same origin. Browsers send `Sec-Fetch-Site` (over https and on localhost), and `Origin` on every
 * POST. A client that sends neither is no browser and holds only its own cookies.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site) return site === 'same-origin'
  const origin = headers.get('origin')
  if (!origin) return true
  if (!URL.canParse(origin)) return false
  // A proxy may have replaced the host; then the browser used the configured address.
  const host = headers.get('x-forwarded-host') ?? headers.get('host')
  return new URL(origin).host === host || new URL(origin).origin === new URL(env().BASE_URL).origin
}
