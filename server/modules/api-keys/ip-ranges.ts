import ipaddr from 'ipaddr.js'
import { ServiceError } from '../../errors.ts'

/** Networks a key may be used from, read once when the key is loaded. */
export type Networks = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][]

/** An address or a network in CIDR form as what it matches. Throws on anything that `addressRange` (schema.ts) refuses. */
function networkOf(text: string): Networks[number] {
  const [address, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), undefined]
  // An IPv4 network in IPv6 dress: callers' addresses are undressed as well.
  if (address.kind() === 'ipv6' && (bits ?? 128) >= 96 && (address as ipaddr.IPv6).isIPv4MappedAddress())
    return [(address as ipaddr.IPv6).toIPv4Address(), (bits ?? 128) - 96]
  return [address, bits ?? (address.kind() === 'ipv4' ? 32 : 128)]
}

export const networksOf = (ranges: readonly string[]): Networks => ranges.map(networkOf)

/**
 * A range as it is kept and shown: 10.1.2.3/16 is 10.1.0.0/16, a single address stands without its length, IPv6 in its shortest form.
 */
export function canonicalRange(text: string): string {
  const [address, bits] = networkOf(text)
  const whole = address.kind() === 'ipv4' ? 32 : 128
  if (bits === whole) return address.toString()
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return `${kind.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`
}

/**
 * Lets a call pass whose key may be used from where it comes. `address`: the connection's own, or what the trusted proxy in front wrote
 * last; without one nothing is let through. Errors: IP_NOT_ALLOWED with `details.address`.
 */
export function refuseForeign(networks: Networks, address: string): void {
  const seen = address ? ipaddr.isValid(address) && ipaddr.process(address.split('%', 1)[0] as string) : undefined
  if (seen && networks.some(([network, bits]) => seen.kind() === network.kind() && seen.match(network, bits))) return
  throw new ServiceError('IP_NOT_ALLOWED', { details: { address: seen ? seen.toString() : 'unknown' } })
}
