import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Public by its number but not on the Internet: the host of Azure's machines. */
const NOT_PUBLIC = new Set(['168.63.129.16'])
/**
 * The range that Internet addresses are assigned from (RFC 4291 §2.4). Addresses outside it reach nothing or, as `::a.b.c.d`, an IPv4
 * address.
 */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns whether an IP address belongs to the public Internet: not private, loopback, link-local, shared, multicast or reserved, and not
 * an IPv6 form that leads to an IPv4 address (mapped, translated, 6to4, Teredo). An invalid address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_V6)
  return !NOT_PUBLIC.has(parsed.toString())
}
