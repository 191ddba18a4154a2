import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { env } from '../platform/config/config.ts'

/** Makes browsers use only https for a year (RFC 6797). Without subdomains, which may belong to others. */
export const STRICT_TRANSPORT = { name: 'Strict-Transport-Security', value: 'max-age=31536000' } as const

/** A trusted proxy's connections that have carried a request over https. */
const secured = new WeakSet<Socket>()

/** Returns whether a request used https, according to the service's URL or, for this request, to the trusted proxy (TRUST_PROXY). */
export function isHttps({ headers, socket }: IncomingMessage): boolean {
  const { BASE_URL, TRUST_PROXY } = env()
  const forwarded =
    TRUST_PROXY &&
    String(headers['x-forwarded-proto'] ?? '')
      .split(',')
      .at(-1)
      ?.trim()
      .toLowerCase() === 'https'
  if (forwarded) secured.add(socket)
  return forwarded || BASE_URL.startsWith('https:')
}

/** Returns the same for a connection whose last bytes were not a request. */
export const isHttpsConnection = (socket: Socket) => secured.has(socket) || env().BASE_URL.startsWith('https:')
