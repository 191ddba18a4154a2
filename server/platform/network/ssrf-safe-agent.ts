import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { plainHost } from '../config/setting-urls.ts'
import { nameLookUp, type Resolve } from './look-up-name.ts'
import { type AllowedHosts, isAllowedHost } from './outbound-url-policy.ts'
import { isPublicAddress } from './public-address.ts'

/** Refusal of a request before it is sent. `message` is for whoever wrote the URL, and does not reveal what a name resolves to. */
export class AddressRefusedError extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

interface Limits {
  /** Connections to one origin. */
  connections: number
  /** Longest time in milliseconds to connect, or to wait for the next byte. */
  patienceMs: number
  /** Setting that lists the hosts that need not be public. Defaults to the one for webhooks. */
  allowed?: AllowedHosts
  /** Resolves names. Defaults to the name servers, and to the system for hosts that need not be public. Tests replace it. */
  resolve?: Resolve
}

/**
 * Returns a client for requests to URLs that others chose. It resolves and checks names when it connects, and connects to the checked
 * address, so that DNS rebinding has no effect. All of a name's addresses must be public. Follows no redirects. Not a library:
 * request-filtering-agent and ssrf-req-filter are agents for node:http, not undici.
 */
export function ssrfSafeAgent({ connections, patienceMs, allowed, resolve: given }: Limits): Agent {
  const resolve = given ?? nameLookUp()
  const checked: LookupFunction = (host, options, done) =>
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0)
      if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address)))
        return done(new AddressRefusedError('The host name resolves to an address that is not public.'), '', 0)
      if (options.all) return done(null, addresses)
      const [first] = addresses as [LookupAddress]
      done(null, first.address, first.family)
    })
  const limits = { timeout: patienceMs, allowH2: false, maxCachedSessions: 1_000 }
  const guarded = buildConnector({ ...limits, lookup: checked })
  const free = buildConnector({ ...limits, lookup: (given ?? systemLookup) as LookupFunction })
  return new Agent({
    connections,
    pipelining: 1,
    headersTimeout: patienceMs,
    bodyTimeout: patienceMs,
    keepAliveTimeout: 4_000,
    maxHeaderSize: 16_384,
    connect(options, done) {
      const { hostname, protocol, port } = options
      if (isAllowedHost({ hostname, protocol, port: port ?? '' }, allowed)) return free(options, done)
      const host = plainHost(hostname)
      // A literal address is never resolved, so check it here.
      if (protocol !== 'https:') return done(new AddressRefusedError('Only https is allowed.'), null)
      if (isIP(host) !== 0 && !isPublicAddress(host)) return done(new AddressRefusedError('The address is not public.'), null)
      guarded(options, done)
    },
  })
}
