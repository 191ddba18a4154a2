import { isIPv6 } from 'node:net'

/** Somebody who is not signed in yet. */
export interface Visitor {
  /** Network address, for the limits on attempts; of IPv6 the first 64 bits, for one customer has all that begin with them. */
  address: string
}

/**
 * Who is at the other end. The last entry of `X-Forwarded-For` is the one the nearest hop wrote (this server, or the
 * proxy in front of it); those before it are only what a client claims.
 */
export function visitorOf(forwardedFor: string | null | undefined): Visitor {
  const address = forwardedFor?.split(',').at(-1)?.trim() || 'unknown'
  return { address: isIPv6(address) ? networkOf(address) : address }
}

function networkOf(address: string): string {
  // A parser's spelling: shortest form, lower case, no zone.
  const plain = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(plain) ?? []
  if (high && low) return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join('.')
  const [front = '', back] = plain.split('::')
  const groups = (text: string | undefined) => (text ? text.split(':') : [])
  const missing = back === undefined ? 0 : 8 - groups(front).length - groups(back).length
  return [...groups(front), ...new Array<string>(missing).fill('0'), ...groups(back)].slice(0, 4).join(':')
}
