import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Normalizes a network address to the form in which addresses are compared and shown: shortest, lowercase, with IPv4-mapped addresses as
 * IPv4. Accepts what proxies write around it: blanks, quotes, brackets, a port and a zone. Undefined if it is not an address.
 */
export function canonicalAddress(text: string): string | undefined {
  const bare = text.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(bare) ?? []
  const address = withoutZone(bracketed ?? bare)
  if (isIP(address)) return ipaddr.process(address).toString()
  // A port can follow a complete IPv6 address the same way; it then has one group too many.
  const withoutPort = bracketed === undefined ? address.replace(/:\d{1,5}$/, '') : ''
  return isIP(withoutPort) ? ipaddr.process(withoutPort).toString() : undefined
}

const withoutZone = (address: string) => address.replace(/%[^:]*/, '')

/**
 * Returns the networks that an address counts under: a site's usual allocation (/24, or /48 for IPv6; RFC 6177), and the customer's own
 * (/32, or /64). A text that is not an address is its own network.
 */
export function networksOf(text: string): readonly [site: string, own: string] {
  const address = canonicalAddress(text)
  if (address === undefined) return [text, text]
  if (!isIPv6(address)) return [`${address.slice(0, address.lastIndexOf('.'))}.0/24`, address]
  const groups = ipaddr.IPv6.parse(address).parts.map((part) => part.toString(16))
  return [`${groups.slice(0, 3).join(':')}::/48`, groups.slice(0, 4).join(':')]
}
