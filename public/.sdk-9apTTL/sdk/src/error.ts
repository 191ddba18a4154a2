import type { ApiError } from './generated/index.js'

/** Every code the service may return. */
export type ErrorCode = ApiError['code']

/** The key's daily quota of playback tokens after a call. */
export interface RateLimit {
  limit: number
  remaining: number
  /** The next UTC midnight. */
  resetAt: Date
}

/** An error response of the service. `code` is stable for programs. */
export class ReelgateError extends Error {
  override readonly name = 'ReelgateError'
  readonly code: ErrorCode
  /** The HTTP status. */
  readonly status: number
  /** Include it when you contact support. */
  readonly requestId: string
  /** The page that explains the code. */
  readonly docUrl: string
  /** Seconds to wait; on RATE_LIMIT_EXCEEDED and SERVICE_UNAVAILABLE. */
  readonly retryAfter: number | undefined
  readonly details: unknown
  /** The quota of the key, on errors of `createPlaybackToken`. */
  readonly rateLimit: RateLimit | undefined

  constructor({ code, message, status, requestId, docUrl, retryAfter, details }: ApiError, rateLimit?: RateLimit) {
    super(`${code}: ${messageOf(message, details)}`)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.docUrl = docUrl
    this.retryAfter = retryAfter
    this.details = details
    this.rateLimit = rateLimit
  }
}

/** Returns a message with what is wrong with each value of an invalid request, which `details` lists. */
function messageOf(message: string, details: unknown): string {
  const given = Array.isArray(details) ? (details as { path?: string; message?: string }[]) : []
  const problems = given.filter((one) => one.message !== message)
  const texts = problems.map(({ path, message }) => [path, message].filter(Boolean).join(': '))
  return [message.replace(/ See details\.$/, ''), ...texts].join(' ')
}

/** There was no readable response: no connection, or a server between you and the service responded. */
export class ReelgateConnectionError extends Error {
  override readonly name = 'ReelgateConnectionError'
  /** The HTTP status, if there was one. */
  readonly status: number | undefined

  constructor(status: number | undefined, cause: unknown, reason?: string) {
    const message = status === undefined ? 'The service did not respond' : `The response (status ${status}) is not from the service`
    super(reason ? `${message}: ${reason}` : `${message}.`, { cause })
    this.status = status
  }
}

/** Returns the error to throw for a body that was not a success. */
export function asError(body: unknown, response: Response | undefined): Error {
  const error = (body as { error?: ApiError } | undefined)?.error
  if (typeof error?.code === 'string' && typeof error.message === 'string') return new ReelgateError(error, rateLimitOf(response))
  // Thrown before a response was read: a failed connection, or an argument that is not valid.
  return body instanceof Error ? body : new ReelgateConnectionError(response?.status, body)
}

/** Returns the quota that the headers of a response state. */
export function rateLimitOf(response: Response | undefined): RateLimit | undefined {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) => response?.headers.get(`X-RateLimit-${name}`))
  if (!limit || !remaining || !reset) return undefined
  return { limit: Number(limit), remaining: Number(remaining), resetAt: new Date(Number(reset) * 1000) }
}
