import type { IncomingMessage, Server } from 'node:http'
import { env } from '../platform/config.ts'
import { log } from '../platform/log.ts'

/** A proxy shows itself in the first requests, if there is one; after these nobody looks any more. */
const LOOK_AT = 1_000

/**
 * Says once in the log that a proxy seems to stand in front which TRUST_PROXY does not tell of: then every visitor has the proxy's address,
 * and shares one allowance of sign-in attempts with all others.
 */
export function warnOfUntrustedProxy(server: Server): void {
  if (env().TRUST_PROXY) return
  let left = LOOK_AT
  const look = ({ headers }: IncomingMessage) => {
    const forwarded = headers['x-forwarded-for'] ?? headers.forwarded
    if (forwarded === undefined && --left > 0) return
    server.off('request', look)
    if (forwarded !== undefined)
      log().warn('requests come with X-Forwarded-For, which is ignored: if a proxy of yours writes it, set TRUST_PROXY=true')
  }
  // Before the one that answers, which rewrites these headers.
  server.prependListener('request', look)
}
