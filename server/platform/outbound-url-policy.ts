import { isIP } from 'node:net'
import { env } from './config.ts'
import { isPublicAddress } from './public-address.ts'

/** Returns a host as in URLs, without brackets and without the dot that ends a full name. */
export const plainHost = (host: string) => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/**
 * Returns whether the operator permits requests to this host whatever it resolves to, and by http. `WEBHOOK_ALLOWED_HOSTS` holds hosts, or
 * hosts with a port.
 */
export function isAllowedHost({ hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>): boolean {
  const host = plainHost(hostname)
  return env().WEBHOOK_ALLOWED_HOSTS.some((one) => one === host || one === `${host}:${port || (protocol === 'http:' ? '80' : '443')}`)
}

/** Returns why an address chosen by others may not be requested; undefined when it may, as far as this is known without a name server. */
export function outboundUrlRefusal(url: URL): string | undefined {
  if (url.username || url.password) return 'The URL must not contain a user name or password.'
  if (isAllowedHost(url))
    return url.protocol === 'https:' || url.protocol === 'http:' ? undefined : 'Enter a URL that starts with https://.'
  if (url.protocol !== 'https:') return 'Enter a URL that starts with https://.'
  const host = plainHost(url.hostname)
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'This URL does not lead to a public address.'
  if (host === 'localhost' || host.endsWith('.localhost')) return 'This URL does not lead to a public address.'
}
