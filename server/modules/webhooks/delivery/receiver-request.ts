import type { Agent, Dispatcher } from 'undici'
import { parseRetryAfter } from '../../../platform/network/retry-after.ts'

export type ResponseHeaders = Record<string, string | string[] | undefined>

/** The result of one request to a receiver. */
export interface RequestResult {
  /** Undefined if it was delivered, else the reason for the failure as shown to the endpoint's owner. */
  error: string | undefined
  /** The response's status and headers, if received. */
  status: number | undefined
  headers: ResponseHeaders
  /** The start of the response's body. */
  body: string
  durationMs: number
  /** The response's Retry-After, in seconds. */
  retryAfterSec: number | undefined
}

/** Maximum number of bytes read from a response. A longer response is a failure. */
const MAX_RESPONSE = 256 * 1024
/** How many bytes of a response are stored. */
const KEPT = 4 * 1024

/** The parts of a URL that a request needs. */
export interface Target {
  origin: string
  /** Includes the query. */
  path: string
}

export function targetOf(url: string): Target {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

/** Where to send an endpoint's deliveries, the secrets that sign them now, and its retry schedule. */
export interface Receiver {
  target: Target
  secrets: string[]
  /** Seconds from each failure to the next attempt. */
  delays: readonly number[]
}

interface RequestInput {
  agent: Agent
  target: Target
  body: string
  signature: string
  /** Time limit in milliseconds, from connecting to the response's last byte. */
  patienceMs: number
}

/**
 * Sends an event to a receiver (specification §6.2): a POST that succeeds if a whole 2xx response arrives within the time limit. Does not
 * follow redirects. Calls `done` once with the result and never throws. Uses the client's callbacks: a stream, a signal and promises for
 * each response cost more than the request.
 */
export class ReceiverRequest {
  private readonly done: (result: RequestResult) => void
  private readonly result: RequestResult = {
    error: undefined,
    status: undefined,
    headers: {},
    body: '',
    durationMs: 0,
    retryAfterSec: undefined,
  }
  private readonly body = new BodyStart()
  private readonly startedAt = performance.now()
  private readonly timer: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | undefined
  private ended = false

  constructor({ agent, target, body, signature, patienceMs }: RequestInput, done: (result: RequestResult) => void) {
    this.done = done
    this.timer = setTimeout(() => this.abort(new TimeLimitError(patienceMs)), patienceMs)
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'user-agent': 'Reelgate-Webhooks',
      'x-service-signature': signature,
    }
    agent.dispatch({ ...target, method: 'POST', headers, body }, this)
  }

  /** Aborts the request. `done` receives the reason as its error. */
  abort(reason: Error): void {
    this.end(reason)
    this.controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.ended) controller.abort(new Error('The request was aborted before it started.'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // Informational responses (100, 103) precede the final one.
    if (status < 200) return
    this.result.status = status
    this.result.headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    if (!this.ended && !this.body.add(part)) this.abort(new ResponseTooLongError(MAX_RESPONSE))
  }

  onResponseEnd(): void {
    this.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(error)
  }

  private end(error?: Error): void {
    if (this.ended) return
    this.ended = true
    clearTimeout(this.timer)
    const { result } = this
    result.body = this.body.text()
    result.error = error ? describeError(error) : describeStatus(result.status as number)
    result.retryAfterSec = parseRetryAfter(result.headers['retry-after'])
    result.durationMs = Math.round(performance.now() - this.startedAt)
    this.done(result)
  }
}

/** The start of a response's body, and the number of bytes read. */
class BodyStart {
  private read = 0
  private readonly kept: Buffer[] = []

  /** Adds a chunk. Returns false if the body exceeds `MAX_RESPONSE`. */
  add(part: Buffer): boolean {
    // A copy, because the client reuses its buffer.
    if (this.read < KEPT) this.kept.push(Buffer.from(part.subarray(0, KEPT - this.read)))
    this.read += part.byteLength
    return this.read <= MAX_RESPONSE
  }

  text(): string {
    // PostgreSQL text cannot contain NUL.
    return this.read === 0 ? '' : Buffer.concat(this.kept).toString().replaceAll('\0', '\ufffd')
  }
}

/** The request did not end within its time limit. */
class TimeLimitError extends Error {
  constructor(ms: number) {
    super(`The receiver sent no complete response within ${ms / 1_000} s.`)
  }
}

/** The response is longer than `maxBytes`. */
class ResponseTooLongError extends Error {
  constructor(maxBytes: number) {
    super(`The response is larger than ${maxBytes / 1024} KB. Respond with status 200 and an empty body.`)
  }
}

/** Returns why a response with this status is a failure, as text for the endpoint's owner. Undefined for 2xx. */
function describeStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return `Responded with ${status}, a redirect, which we do not follow. Register the final URL.`
  return `Responded with ${status}.`
}

const CODES: Record<string, string> = {
  ENOTFOUND: 'The host name could not be resolved (ENOTFOUND).',
  EAI_AGAIN: 'The host name lookup failed temporarily (EAI_AGAIN).',
  ECONNREFUSED: 'The connection was refused (ECONNREFUSED).',
  ECONNRESET: 'The receiver closed the connection (ECONNRESET).',
  EPIPE: 'The receiver closed the connection (EPIPE).',
  UND_ERR_SOCKET: 'The receiver closed the connection before responding.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too large.',
  ETIMEDOUT: 'The connection timed out (ETIMEDOUT).',
  EHOSTUNREACH: 'The host is unreachable (EHOSTUNREACH).',
  ENETUNREACH: 'The network is unreachable (ENETUNREACH).',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate was issued by an unknown authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate cannot be verified: the intermediate certificates are missing.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate cannot be verified: the intermediate certificates are missing.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for a different host name.',
}

/** Returns why a request failed, as text for the endpoint's owner. */
function describeError(error: Error & { code?: string }): string {
  if (error instanceof TimeLimitError || error instanceof ResponseTooLongError || error.code === 'ADDRESS_REFUSED') return error.message
  const { code = '' } = error
  if (CODES[code]) return CODES[code]
  if (error.name === 'HTTPParserError') return 'The response is not valid HTTP.'
  if (/^ERR_(SSL|TLS)|^EPROTO$/.test(code)) return `The TLS connection failed (${code}).`
  return `The request failed${code ? ` (${code})` : ''}.`
}
