import { canonicalAddress, networksOf } from '../../../platform/network/client-address.ts'

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

/** Returns the client's properties, for limits and for the security log. */
export function clientInfo(
  forwardedFor: string | null | undefined,
  { cookie, userAgent }: Pick<ClientInfo, 'cookie' | 'userAgent'> = {},
): ClientInfo {
  const remote = addressOf(forwardedFor)
  const from = { address: networksOf(remote)[1], remote }
  return { ...from, ...(cookie !== undefined && { cookie }), ...(userAgent !== undefined && { userAgent }) }
}

/** Returns the network whose clients share what is bounded: the usual allocation of a site. */
export const siteOf = ({ remote, address }: ClientInfo): string => networksOf(remote ?? address)[0]

/**
 * Returns the client's complete address in canonical notation. The last entry of `X-Forwarded-For` is written by the nearest hop (this
 * server, or the proxy in front of it); earlier entries are unverified.
 */
export function addressOf(forwardedFor: string | null | undefined): string {
  const nearest = forwardedFor?.split(',').at(-1)?.trim() || 'unknown'
  return canonicalAddress(nearest) ?? nearest.slice(0, 60)
}
