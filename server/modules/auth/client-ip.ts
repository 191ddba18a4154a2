import { isIPv6 } from 'node:net'

/** Properties of the client, before authentication. */
export interface ClientInfo {
  /**
   * Network address for the limits on attempts; the first 64 bits of an IPv6 address, because one customer usually has that whole prefix.
   */
  address: string
  /** The `Cookie` header, for use cases that recognize known devices. */
  cookie?: string | undefined
  /** The complete address, for display and for the security log. */
  remote?: string | undefined
  userAgent?: string | undefined
}

/**
 * The last entry of `X-Forwarded-For` is written by the nearest hop (this server, or the proxy in front of it); earlier entries are
 * unverified.
 */
const nearest = (forwardedFor: string | null | undefined) => forwardedFor?.split(',').at(-1)?.trim() || 'unknown'

/** Returns the client's properties, for limits and for the security log. */
export function clientInfo(
  forwardedFor: string | null | undefined,
  { cookie, userAgent }: Pick<ClientInfo, 'cookie' | 'userAgent'> = {},
): ClientInfo {
  const address = nearest(forwardedFor)
  const from = { address: isIPv6(address) ? networkOf(address) : address, remote: addressOf(forwardedFor) }
  return { ...from, ...(cookie !== undefined && { cookie }), ...(userAgent !== undefined && { userAgent }) }
}

/** Returns the client's complete address in canonical notation, for display. */
export function addressOf(forwardedFor: string | null | undefined): string {
  const address = nearest(forwardedFor)
  return isIPv6(address) ? (mappedV4(plainV6(address)) ?? plainV6(address)) : address.slice(0, 60)
}

/** The URL parser's notation: shortest form, lower case, no zone. */
const plainV6 = (address: string) => new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1)

function mappedV4(plain: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(plain) ?? []
  if (!high || !low) return undefined
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join('.')
}

function networkOf(address: string): string {
  const plain = plainV6(address)
  const v4 = mappedV4(plain)
  if (v4) return v4
  const [front = '', back] = plain.split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const missing = back === undefined ? 0 : 8 - groups(front).length - groups(back).length
  return [...groups(front), ...new Array<string>(missing).fill('0'), ...groups(back)].slice(0, 4).join(':')
}
