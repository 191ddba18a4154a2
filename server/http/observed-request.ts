import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Span } from '@opentelemetry/api'
import { inScope } from '../platform/observe/tracing.ts'
import type { MatchedRoute } from './page-routes.ts'
import type { Call, Reply } from './reply.ts'
import { RequestCaller } from './request-caller.ts'
import { newRequestId } from './request-id.ts'
import { shownPath } from './shown-path.ts'

/** Status of a request whose client left before the response began, as in nginx. */
const CLIENT_LEFT = 499

/** A connection's bytes up to its last observed request. */
interface Counted {
  read: number
  written: number
}
const COUNTED = Symbol('bytes up to the last observed request')
/** A property, because with every request, a WeakMap costs several times as much. */
type CountedSocket = Socket & { [COUNTED]?: Counted }

/** One request and its outcome. The getters compute their value when read, since most observers need few. */
export class ObservedRequest extends RequestCaller {
  readonly res: ServerResponse
  readonly startedAt = performance.now()
  bytesRead = 0
  bytesWritten = 0
  span: Span | undefined
  private readonly find: (path: string) => MatchedRoute | undefined
  private readonly url: string
  private call: Call | undefined
  private matchedRoute: MatchedRoute | undefined | null = null
  private ownId: string | undefined

  constructor(req: IncomingMessage, res: ServerResponse, find: (path: string) => MatchedRoute | undefined) {
    super(req)
    this.res = res
    this.find = find
    // Later steps rewrite the request's URL.
    this.url = req.url ?? '/'
    const socket: CountedSocket = req.socket
    if (socket[COUNTED]) return
    socket[COUNTED] = { read: 0, written: 0 }
    // A closed connection still has the address that was read earlier.
    void socket.remoteAddress
  }

  /** Handles the request, in its span if that is recorded. */
  around(work: () => void): void {
    if (this.span?.isRecording()) inScope(this.span, work)
    else work()
  }

  /** The router calls it once it knows the route. `route` is undefined if there is none. */
  routed(call: Call, route: string | undefined): void {
    this.call = call
    this.matchedRoute = route === undefined ? undefined : { route, params: call.params }
  }

  /** The router calls it with the response. */
  answered({ about }: Reply): void {
    this.accountId ??= this.call?.key?.accountId ?? about?.accountId
  }

  /** Called when the response has ended. Bytes are the connection's, headers included. */
  end(): void {
    const { bytesRead, bytesWritten, [COUNTED]: before } = this.req.socket as CountedSocket
    if (!before) return
    this.bytesRead = bytesRead - before.read
    this.bytesWritten = bytesWritten - before.written
    before.read = bytesRead
    before.written = bytesWritten
  }

  get method(): string {
    return this.req.method ?? ''
  }

  get status(): number {
    return this.res.headersSent ? this.res.statusCode : CLIENT_LEFT
  }

  /** Milliseconds until the end of the response. */
  get ms(): number {
    return performance.now() - this.startedAt
  }

  /** Whether the connection ended before the response did. */
  get aborted(): boolean {
    return !this.res.writableFinished
  }

  /** The route, such as `/v1/video/{videoId}`. Undefined if the URL has none. */
  get route(): string | undefined {
    return this.matched()?.route
  }

  /** The path without its secrets. */
  get path(): string {
    return shownPath(this.matched())
  }

  get requestId(): string {
    this.ownId ??= this.call?.requestId ?? this.res.getHeader('x-request-id')?.toString() ?? newRequestId()
    return this.ownId
  }

  /** ID of the key that authenticated the request. */
  get keyId(): string | undefined {
    return this.call?.key?.id
  }

  private matched(): MatchedRoute | undefined {
    if (this.matchedRoute === null) this.matchedRoute = this.find(this.url.split(/[?#]/, 1)[0] as string)
    return this.matchedRoute
  }
}
