import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { env } from '../platform/config.ts'

/** Tells browsers to ask over https alone for a year (RFC 6797). Without subdomains: they may be another's. */
export const STRICT_TRANSPORT = { name: 'Strict-Transport-Security', value: 'max-age=31536000' } as const

/** Connections of a trusted proxy that have carried a request made over https. */
const secured = new WeakSet<Socket>()

/** Whether a request came over https: the service's address says so, or the trusted proxy in front (TRUST_PROXY) for this request. */
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

/** The same for a connection whose last bytes were no request. */
export const isHttpsConnection = (socket: Socket) => secured.has(socket) || env().BASE_URL.startsWith('https:')
