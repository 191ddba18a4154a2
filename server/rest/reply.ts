import { ERRORS, ServiceError } from '../errors.ts'
import { env } from '../infra/env.ts'

/** One request, whichever way it came in. */
export interface Call {
  method: string
  /** Path parameters, percent-decoded. */
  params: Record<string, string>
  /** The part after `?`, undecoded; empty when there is none. */
  search: string
  header(name: string): string | undefined
  requestId: string
}

/** One answer, whichever way it goes out. A stream carries its own `content-length`. */
export interface Reply {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | AsyncIterable<Uint8Array> | null
}

export const JSON_TYPE = 'application/json'

/** Bytes of a body that is thrown away. */
export const MAX_BODY = 64 * 1024

/** No address under /v1 or /cdn asks for a body; a large one is refused unread. Errors: PAYLOAD_TOO_LARGE. */
export function refuseLargeBody(call: Call): void {
  if (Number(call.header('content-length') ?? 0) > MAX_BODY)
    throw new ServiceError('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } })
}

/** The error envelope (specification §7) with the headers that belong to it. */
export function errorReply(error: ServiceError, requestId: string): Reply {
  const { details, retryAfter, headers } = error.extras
  const { status } = ERRORS[error.code]
  const docUrl = `${env().BASE_URL}/docs/errors#${error.code}`
  const body = { success: false, error: { code: error.code, message: error.message, status, requestId, docUrl, details, retryAfter } }
  const retry = retryAfter === undefined ? undefined : { 'Retry-After': String(retryAfter) }
  return { status, headers: { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store', ...headers, ...retry }, body: JSON.stringify(body) }
}
