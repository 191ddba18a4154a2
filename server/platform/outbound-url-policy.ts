import { isIP } from 'node:net'
import { env } from './config.ts'
import { isPublicAddress } from './public-address.ts'

/** A host as URLs spell it, without brackets and without the dot that ends a full name. */
export const plainHost = (host: string) => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Whether the operator lets requests go to this host wherever it leads, and by http. `WEBHOOK_ALLOWED_HOSTS` holds hosts, or hosts with a port. */
export function isAllowedHost({ hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>): boolean {
  const host = plainHost(hostname)
  return env().WEBHOOK_ALLOWED_HOSTS.some((one) => one === host || one === `${host}:${port || (protocol === 'http:' ? '80' : '443')}`)
}

/**
 * Why an address that somebody else chose may not be requested; undefined when it may, as far as can be told without asking a name server.
 */
export function outboundUrlRefusal(url: URL): string | undefined {
  if (url.username || url.password) return 'An address holds no user name and no password.'
  if (isAllowedHost(url))
    return url.protocol === 'https:' || url.protocol === 'http:' ? undefined : 'Give an address that begins with https://.'
  if (url.protocol !== 'https:') return 'Give an address that begins with https://.'
  const host = plainHost(url.hostname)
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'This address is not public.'
  if (host === 'localhost' || host.endsWith('.localhost')) return 'This address is not public.'
}
