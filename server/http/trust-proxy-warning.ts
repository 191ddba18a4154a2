import type { IncomingMessage, Server } from 'node:http'
import { env } from '../platform/config/config.ts'
import { log } from '../platform/observe/log.ts'

/** If there is a proxy, the first requests show it, so later ones are not checked. */
const MAX_CHECKED = 1_000

/**
 * Logs one warning about a proxy that TRUST_PROXY does not declare: every visitor then has the proxy's address, and all share one allowance
 * of sign-in attempts.
 */
export function warnOfUntrustedProxy(server: Server): void {
  if (env().TRUST_PROXY) return
  let left = MAX_CHECKED
  const look = ({ headers }: IncomingMessage) => {
    const forwarded = headers['x-forwarded-for'] ?? headers.forwarded
    if (forwarded === undefined && --left > 0) return
    server.off('request', look)
    if (forwarded !== undefined)
      log().warn('requests carry X-Forwarded-For, which is ignored: if your reverse proxy sets it, set TRUST_PROXY=true')
  }
  // Runs before the listener that responds, which rewrites these headers.
  server.prependListener('request', look)
}
