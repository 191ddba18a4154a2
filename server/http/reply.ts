import { ERRORS, type ErrorCode, ServiceError } from '../errors.ts'
import type { AuthenticatedKey } from '../modules/access/keys/look-up.ts'
import type { RequestSubject } from '../modules/analytics/requests/observed-call.ts'
import { env } from '../platform/config/config.ts'

/** One request, independent of its transport. */
export interface Call {
  method: string
  /** Path parameters, percent-decoded. */
  params: Record<string, string>
  /** The part after `?`, undecoded. Empty if there is none. */
  search: string
  header(name: string): string | undefined
  /** The caller's network address: the connection's, or the one that the trusted proxy wrote. Empty if unknown. */
  address(): string
  requestId: string
  /** As requested, without the query. */
  path: string
  /** By `performance.now()`, in milliseconds. */
  startedAt: number
  /** Reads the body of an operation that declares one. Errors: PAYLOAD_TOO_LARGE above MAX_BODY, REQUEST_TIMEOUT. */
  body(): Promise<Uint8Array>
  /** Reads the body of an operation that declares a file. Errors: PAYLOAD_TOO_LARGE above `maxBytes`, REQUEST_TIMEOUT. */
  file(maxBytes: number): Promise<Buffer>
  /** Returns a signal that aborts if the client leaves before the response. */
  left(): AbortSignal
  /** The JSON body, once it was read. */
  sent?: Uint8Array
  /** The key of the caller, once authenticated. */
  key?: AuthenticatedKey
}

/** One response, independent of its transport. A stream carries its own `content-length`. */
export interface Reply {
  status: number
  headers: Record<string, string>
  /** Each chunk of a streamed body may be overwritten once the next is requested. */
  body: string | Uint8Array | AsyncIterable<Uint8Array> | null
  /** Called once when a streamed body has ended, or its reader has left, with the bytes that the connection took. */
  sent?: ((bytes: number) => void) | undefined
  /** Set for an error response. */
  error?: ServiceError
  /** The call's account if no key identifies it, and the token it was about. */
  about?: RequestSubject
}

export const JSON_TYPE = 'application/json'

/** Maximum bytes of a body to read, whether an operation uses or discards it. */
export const MAX_BODY = 64 * 1024

export const tooLarge = () => new ServiceError('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } })

/** Refuses a body, unread, if it is declared larger than its operation accepts. Errors: PAYLOAD_TOO_LARGE. */
export function refuseLargeBody(call: Call, maxBytes = MAX_BODY): void {
  const length = call.header('content-length')
  if (length !== undefined && Number(length) > maxBytes) throw tooLarge()
}

/** Returns whether operations of a method read a body. A GET's body has no meaning (RFC 9110 §9.3.1) and is discarded. */
export const readsBody = (method: string): boolean => method !== 'GET' && method !== 'HEAD'

/** Returns whether a call has a body, according to its headers. */
export function sendsBody(call: Pick<Call, 'header'>): boolean {
  const length = call.header('content-length')
  return (length !== undefined && length !== '0') || call.header('transfer-encoding') !== undefined
}

/**
 * Refuses a body that `Content-Encoding` declares compressed, because this service reads bodies as they are. Errors:
 * UNSUPPORTED_MEDIA_TYPE, with `Accept-Encoding` (RFC 9110 §12.5.3).
 */
export function refuseEncodedBody(encoding: string | undefined): void {
  const codings = (encoding ?? '').split(',').map((coding) => coding.trim().toLowerCase())
  if (codings.every((coding) => coding === '' || coding === 'identity')) return
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'This endpoint does not accept compressed bodies. Send the body as it is, without Content-Encoding.',
    headers: { 'Accept-Encoding': 'identity' },
  })
}

/** Returns the error envelope (specification §7) with its headers. */
export function errorReply(error: ServiceError, requestId: string): Reply {
  const { retryAfter, headers } = error.extras
  const { status } = ERRORS[error.code]
  const own: Record<string, string> = { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store' }
  if (status === 401) own['WWW-Authenticate'] = challengeFor(error.code)
  if (headers) Object.assign(own, headers)
  if (retryAfter !== undefined) own['Retry-After'] = String(retryAfter)
  return { status, headers: own, body: envelope(error, requestId), error, about: error.extras.about }
}

/** Returns the challenge of every 401 (RFC 9110 §11.6.1). It says where the credential belongs; `Authorization` is not read. */
const challengeFor = (code: ErrorCode): string =>
  code.startsWith('PLAYBACK_TOKEN') ? 'PlaybackToken realm="reelgate"' : 'ApiKey realm="reelgate", header="x-service-key"'

function envelope({ code, message, extras }: ServiceError, requestId: string): string {
  const { details, retryAfter } = extras
  const { status } = ERRORS[code]
  const docUrl = `${env().BASE_URL}/docs/errors#${code}`
  return JSON.stringify({ success: false, error: { code, message, status, requestId, docUrl, details, retryAfter } })
}
