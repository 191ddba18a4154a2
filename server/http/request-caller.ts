import type { IncomingMessage } from 'node:http'
import { addressOf } from '../modules/auth/client-ip.ts'
import type { Caller } from '../platform/caller.ts'
import { forwardedAddress } from './forwarded-address.ts'

/** Who sends a request: an address until it is authenticated. */
export class RequestCaller implements Caller {
  readonly req: IncomingMessage
  accountId: string | undefined
  member: string | undefined
  refusedBy: string | undefined

  constructor(req: IncomingMessage) {
    this.req = req
  }

  /** The client's address: that of the connection, or the one written by the trusted proxy. */
  get address(): string {
    return addressOf(forwardedAddress(this.req.headers['x-forwarded-for']?.toString()) ?? this.req.socket.remoteAddress)
  }
}
