import type { ApiError } from './generated/index.js'

/** Every code that the service may return. */
export type ErrorCode = ApiError['code']

/** What is left of the key's daily quota of playback tokens after a call. */
export interface RateLimit {
  limit: number
  remaining: number
  /** The next UTC midnight. */
  resetAt: Date
}

/** An error response of the service. Compare `code`: the text of the message may change. */
export class ReelgateError extends Error {
  override readonly name = 'ReelgateError'
  readonly code: ErrorCode
  /** The HTTP status. */
  readonly status: number
  /** Include it when you contact support. */
  readonly requestId: string
  /** The page that explains the code. */
  readonly docUrl: string
  /** Seconds to wait, on RATE_LIMIT_EXCEEDED and SERVICE_UNAVAILABLE. */
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

/** Returns the message, with what is wrong with each value that `details` lists. */
function messageOf(message: string, details: unknown): string {
  const given = Array.isArray(details) ? (details as { path?: string; message?: string }[]) : []
  const problems = given.filter((one) => one.message !== message)
  const texts = problems.map(({ path, message }) => [path, message].filter(Boolean).join(': '))
  return [message.replace(/ See details\.$/, ''), ...texts].join(' ')
}

/** There was no response of the service: the connection failed, or another server responded, such as a proxy. */
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

/** Returns the error to throw for a response without success. */
export function asError(body: unknown, response: Response | undefined): Error {
  const error = (body as { error?: ApiError } | undefined)?.error
  if (typeof error?.code === 'string' && typeof error.message === 'string') return new ReelgateError(error, rateLimitOf(response))
  // Thrown before a response was read: a failed connection, or an argument that is not valid.
  return body instanceof Error ? body : new ReelgateConnectionError(response?.status, body)
}

/** Returns the quota from the headers of a response. */
export function rateLimitOf(response: Response | undefined): RateLimit | undefined {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) => response?.headers.get(`X-RateLimit-${name}`))
  if (!limit || !remaining || !reset) return undefined
  return { limit: Number(limit), remaining: Number(remaining), resetAt: new Date(Number(reset) * 1000) }
}
