import { canonicalAddress, networksOf } from '../../../platform/network/client-address.ts'

/** What is known about the client before authentication. */
export interface ClientInfo {
  /** Network address for the attempt limits. For IPv6, its first 64 bits, because one customer usually has that whole prefix. */
  address: string
  /** The `Cookie` header, for use cases that recognize known devices. */
  cookie?: string | undefined
  /** The full address, to show and for the security log. */
  remote?: string | undefined
  userAgent?: string | undefined
}

/** Returns what is known about the client, for limits and for the security log. */
export function clientInfo(
  forwardedFor: string | null | undefined,
  { cookie, userAgent }: Pick<ClientInfo, 'cookie' | 'userAgent'> = {},
): ClientInfo {
  const remote = addressOf(forwardedFor)
  const from = { address: networksOf(remote)[1], remote }
  return { ...from, ...(cookie !== undefined && { cookie }), ...(userAgent !== undefined && { userAgent }) }
}

/** Returns the network whose clients share what is limited: a site's usual allocation. */
export const siteOf = ({ remote, address }: ClientInfo): string => networksOf(remote ?? address)[0]

/**
 * Returns the client's full address in canonical notation. The nearest hop (this server, or the proxy in front of it) writes the last entry
 * of `X-Forwarded-For`; earlier entries are unverified.
 */
export function addressOf(forwardedFor: string | null | undefined): string {
  const nearest = forwardedFor?.split(',').at(-1)?.trim() || 'unknown'
  return canonicalAddress(nearest) ?? nearest.slice(0, 60)
}
