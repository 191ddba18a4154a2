import type { ApiError } from './generated/index.js'

/** Every code the service may return. */
export type ErrorCode = ApiError['code']

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

  constructor({ code, message, status, requestId, docUrl, retryAfter, details }: ApiError) {
    super(`${code}: ${message}`)
    this.code = code
    this.status = status
    this.requestId = requestId
    this.docUrl = docUrl
    this.retryAfter = retryAfter
    this.details = details
  }
}

/** There was no readable response: no connection, or a server between you and the service responded. */
export class ReelgateConnectionError extends Error {
  override readonly name = 'ReelgateConnectionError'
  /** The HTTP status, if there was one. */
  readonly status: number | undefined

  constructor(status: number | undefined, cause: unknown) {
    super(status === undefined ? 'The service did not respond.' : `The response (status ${status}) is not from the service.`, { cause })
    this.status = status
  }
}

/** Returns the error to throw for a body that was not a success. */
export function asError(body: unknown, status: number | undefined): Error {
  const error = (body as { error?: ApiError } | undefined)?.error
  return typeof error?.code === 'string' && typeof error.message === 'string'
    ? new ReelgateError(error)
    : new ReelgateConnectionError(status, body)
}
