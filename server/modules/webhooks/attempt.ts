import type { Agent, Dispatcher } from 'undici'

/** The outcome of one request to a receiver. */
export interface Outcome {
  /** Undefined when it was delivered; else the reason of the failure, as shown to the endpoint's owner. */
  problem: string | undefined
  /** Status and headers of the response, if one was received. */
  status: number | undefined
  headers: Record<string, string | string[] | undefined>
  /** The beginning of the response's body. */
  body: string
  durationMs: number
  /** The response's Retry-After, in seconds. */
  retryAfterSec: number | undefined
}

/** Maximum of bytes read from a response; a longer response is a failure. */
const MAX_RESPONSE = 256 * 1024
/** Bytes of a response that are stored. */
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

interface Sending {
  agent: Agent
  target: Target
  body: string
  signature: string
  /** Time limit in milliseconds, from connecting to the response's last byte. */
  patienceMs: number
}

/**
 * Sends an event to a receiver (specification §6.2): a POST that succeeds when a whole 2xx response arrives within the time limit.
 * Redirects are not followed. Calls `done` once with the outcome and never throws. Uses the client's callbacks: a stream, a signal and
 * promises for each response cost more than the request.
 */
export class Attempt {
  private readonly done: (outcome: Outcome) => void
  private readonly outcome: Outcome = {
    problem: undefined,
    status: undefined,
    headers: {},
    body: '',
    durationMs: 0,
    retryAfterSec: undefined,
  }
  private readonly beginning = new Beginning()
  private readonly began = performance.now()
  private readonly timer: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | undefined
  private over = false

  constructor({ agent, target, body, signature, patienceMs }: Sending, done: (outcome: Outcome) => void) {
    this.done = done
    this.timer = setTimeout(() => this.giveUp(new Slow(patienceMs)), patienceMs)
    const headers = { 'content-type': 'application/json', 'user-agent': 'Reelgate-Webhooks', 'x-service-signature': signature }
    agent.dispatch({ ...target, method: 'POST', headers, body }, this)
  }

  /** Aborts the attempt for `reason`. */
  giveUp(reason: Error): void {
    this.end(reason)
    this.controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.over) controller.abort(new Error('The attempt was canceled before it started.'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Outcome['headers']): void {
    // Informational responses (100, 103) precede the final one.
    if (status < 200) return
    this.outcome.status = status
    this.outcome.headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    if (!this.over && !this.beginning.add(part)) this.giveUp(new TooLong())
  }

  onResponseEnd(): void {
    this.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(error)
  }

  private end(error?: Error): void {
    if (this.over) return
    this.over = true
    clearTimeout(this.timer)
    const { outcome } = this
    outcome.body = this.beginning.text()
    outcome.problem = error ? wordsFor(error) : judge(outcome.status as number)
    outcome.retryAfterSec = retryAfter(outcome.headers['retry-after'])
    outcome.durationMs = Math.round(performance.now() - this.began)
    this.done(outcome)
  }
}

/** The beginning of a response's body, and the number of bytes read. */
class Beginning {
  private read = 0
  private readonly kept: Buffer[] = []

  /** Adds a part; returns false when the body exceeds `MAX_RESPONSE`. */
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

class Slow extends Error {
  constructor(ms: number) {
    super(`No complete response within ${ms / 1_000} s.`)
  }
}

class TooLong extends Error {
  constructor() {
    super(`The response is larger than ${MAX_RESPONSE / 1024} KB. Respond with status 200 and an empty body.`)
  }
}

function judge(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return `Responded with ${status}, a redirect. Redirects are not followed: register the final URL.`
  return `Responded with ${status}.`
}

/** Parses Retry-After (RFC 9110 §10.2.3: seconds or a date) into seconds. */
function retryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const seconds = /^\d{1,9}$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
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

function wordsFor(error: Error & { code?: string }): string {
  if (error instanceof Slow || error instanceof TooLong || error.code === 'ADDRESS_REFUSED') return error.message
  const { code = '' } = error
  if (CODES[code]) return CODES[code]
  if (error.name === 'HTTPParserError') return 'The response is not valid HTTP.'
  if (/^ERR_(SSL|TLS)|^EPROTO$/.test(code)) return `The TLS connection failed (${code}).`
  return `The request failed${code ? ` (${code})` : ''}.`
}
