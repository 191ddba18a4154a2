import ipaddr from 'ipaddr.js'
import { ServiceError } from '../../../errors.ts'
import { canonicalAddress } from '../../../platform/network/client-address.ts'

/** Networks that a key can be used from, parsed once when the key is loaded. */
export type Networks = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][]

/**
 * Parses an address or a network in CIDR form into network and prefix length. Throws on any text that `addressRange` (schema.ts) refuses.
 */
function networkOf(text: string): Networks[number] {
  const [address, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), undefined]
  // Converts an IPv4-mapped IPv6 network to IPv4, like callers' addresses.
  if (address.kind() === 'ipv6' && (bits ?? 128) >= 96 && (address as ipaddr.IPv6).isIPv4MappedAddress())
    return [(address as ipaddr.IPv6).toIPv4Address(), (bits ?? 128) - 96]
  return [address, bits ?? (address.kind() === 'ipv4' ? 32 : 128)]
}

export const networksOf = (ranges: readonly string[]): Networks => ranges.map(networkOf)

/**
 * Returns the canonical form of a range for storage and display: 10.1.2.3/16 becomes 10.1.0.0/16, a single address has no prefix length,
 * and IPv6 is in its shortest form.
 */
export function canonicalRange(text: string): string {
  const [address, bits] = networkOf(text)
  const whole = address.kind() === 'ipv4' ? 32 : 128
  if (bits === whole) return address.toString()
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return `${kind.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`
}

/** Returns whether one of the networks contains an address; false for text that is no address. */
export function isWithin(networks: Networks, address: string): boolean {
  const canonical = canonicalAddress(address)
  const seen = canonical === undefined ? undefined : ipaddr.parse(canonical)
  return seen !== undefined && networks.some(([network, bits]) => seen.kind() === network.kind() && seen.match(network, bits))
}

/**
 * Refuses a request from an address outside the key's networks. `address` is the connection's, or the last one that the trusted proxy
 * appended; an empty one is refused. Errors: IP_NOT_ALLOWED with `details.address`.
 */
export function requireAllowedAddress(networks: Networks, address: string): void {
  if (isWithin(networks, address)) return
  throw new ServiceError('IP_NOT_ALLOWED', { details: { address: canonicalAddress(address) ?? 'unknown' } })
}
