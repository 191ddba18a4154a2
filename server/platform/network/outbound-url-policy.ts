import { isIP } from 'node:net'
import { env } from '../config/config.ts'
import { plainHost } from '../config/setting-urls.ts'
import { isPublicAddress } from './public-address.ts'

/**
 * Setting that lists the hosts, with or without a port, that requests for one purpose may reach whatever they resolve to, also over http.
 */
export type AllowedHosts = 'WEBHOOK_ALLOWED_HOSTS' | 'IMPORT_ALLOWED_HOSTS' | 'SPEECH_ALLOWED_HOSTS'

/** Returns whether the operator allows requests to this host whatever it resolves to, and over http. */
export function isAllowedHost(
  { hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>,
  allowed: AllowedHosts = 'WEBHOOK_ALLOWED_HOSTS',
): boolean {
  const host = plainHost(hostname)
  return env()[allowed].some((one) => one === host || one === `${host}:${port || (protocol === 'http:' ? '80' : '443')}`)
}

/** Returns why a URL chosen by others must not be requested. Undefined if it may be, as far as can be known without a name server. */
export function outboundUrlRefusal(url: URL, allowed?: AllowedHosts): string | undefined {
  if (url.username || url.password) return 'The URL must not contain a user name or password.'
  if (isAllowedHost(url, allowed))
    return url.protocol === 'https:' || url.protocol === 'http:' ? undefined : 'Enter a URL that starts with https://.'
  if (url.protocol !== 'https:') return 'Enter a URL that starts with https://.'
  const host = plainHost(url.hostname)
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'This URL does not resolve to a public address.'
  if (host === 'localhost' || host.endsWith('.localhost')) return 'This URL does not resolve to a public address.'
}
