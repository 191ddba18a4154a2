import { ERRORS, type ErrorCode, ServiceError } from '../errors.ts'
import type { About } from '../modules/analytics/seen.ts'
import type { AuthenticatedKey } from '../modules/api-keys/look-up.ts'
import { env } from '../platform/config.ts'
import { processWide } from '../platform/process-wide.ts'

/** One request, whichever way it came in. */
export interface Call {
  method: string
  /** Path parameters, percent-decoded. */
  params: Record<string, string>
  /** The part after `?`, undecoded; empty when there is none. */
  search: string
  header(name: string): string | undefined
  /** The caller's network address: the connection's own, or what the trusted proxy in front wrote; empty when nobody knows. */
  address(): string
  requestId: string
  /** As asked for, without the query. */
  path: string
  /** By `performance.now()`. */
  startedAt: number
  /** Who called, once it is known. */
  key?: AuthenticatedKey
}

/** One answer, whichever way it goes out. A stream carries its own `content-length`. */
export interface Reply {
  status: number
  headers: Record<string, string>
  /** Of a body in parts each may be overwritten once the next is asked for. */
  body: string | Uint8Array | AsyncIterable<Uint8Array> | null
  /** Set where it is an error. */
  error?: ServiceError
  /** Whose call it was where no key says so, and which token it was about. */
  about?: About
}

export const JSON_TYPE = 'application/json'

/** Bytes of a body that is thrown away. */
export const MAX_BODY = 64 * 1024

/** No address under /v1 or /cdn asks for a body; a large one is refused unread. Errors: PAYLOAD_TOO_LARGE. */
export function refuseLargeBody(call: Call): void {
  const length = call.header('content-length')
  if (length !== undefined && Number(length) > MAX_BODY) throw new ServiceError('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } })
}

/** The error envelope (specification §7) with the headers that belong to it. */
export function errorReply(error: ServiceError, requestId: string): Reply {
  const { retryAfter, headers } = error.extras
  const own: Record<string, string> = { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store' }
  if (headers) Object.assign(own, headers)
  if (retryAfter !== undefined) own['Retry-After'] = String(retryAfter)
  return { status: ERRORS[error.code].status, headers: own, body: envelope(error, requestId), error, about: error.extras.about }
}

function envelope({ code, message, extras }: ServiceError, requestId: string): string {
  const { details, retryAfter } = extras
  const { status, message: usual } = ERRORS[code]
  if (details === undefined && retryAfter === undefined && message === usual) {
    const [before, after] = bare(code)
    return before + requestId + after
  }
  const error = { code, message, status, requestId, docUrl: docUrlOf(code), details, retryAfter }
  return JSON.stringify({ success: false, error })
}

const docUrlOf = (code: ErrorCode) => `${env().BASE_URL}/docs/errors#${code}`

const HOLE = '{{requestId}}'

/** What stands before and after the request id in an error that says nothing but its code. */
const bare = (code: ErrorCode) =>
  processWide(`error ${code} ${env().BASE_URL}`, () => {
    const { status, message } = ERRORS[code]
    const error = { code, message, status, requestId: HOLE, docUrl: docUrlOf(code) }
    return JSON.stringify({ success: false, error }).split(HOLE) as [string, string]
  })
