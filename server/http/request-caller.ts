import type { IncomingMessage } from 'node:http'
import { addressOf } from '../modules/identity/sign-in/client-ip.ts'
import type { Caller } from '../platform/turns/caller.ts'
import { forwardedAddress } from './forwarded-address.ts'
import type { MatchedRoute } from './page-routes.ts'
import { shownPath } from './shown-path.ts'

/** Returns a function that names a caller's request: its method and its path without secrets. */
export const describeRequests = (find: (path: string) => MatchedRoute | undefined) => (caller: Caller) => {
  if (!(caller instanceof RequestCaller)) return '*'
  const { method, url = '' } = caller.req
  return `${method} ${shownPath(find(url.split('?', 1)[0] as string))}`
}

/** Who sent a request: an address, until it is authenticated. */
export class RequestCaller implements Caller {
  readonly req: IncomingMessage
  accountId: string | undefined
  member: string | undefined
  refusedBy: string | undefined

  constructor(req: IncomingMessage) {
    this.req = req
  }

  /** The client's address: the connection's, or the one that the trusted proxy wrote. */
  get address(): string {
    return addressOf(forwardedAddress(this.req.headers['x-forwarded-for']?.toString()) ?? this.req.socket.remoteAddress)
  }
}
