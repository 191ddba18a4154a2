/**
 * The one table of every error that a caller can receive. REST, tRPC, the OpenAPI description and the documentation read it. Specification
 * §7; `additive` marks what the specification does not name.
 */
export const ERRORS = {
  API_KEY_REQUIRED: { status: 401, message: 'Send your API key in the x-service-key header.' },
  INVALID_API_KEY: {
    status: 401,
    message: 'This API key is unknown, revoked, disabled or expired. Check it in the dashboard, or create a new key there.',
  },
  INSUFFICIENT_SCOPE: { status: 403, message: 'This API key lacks the scope that this endpoint requires. Use a key that has it.' },
  IP_NOT_ALLOWED: {
    status: 403,
    message:
      'This API key cannot be used from this IP address. Call from an allowed address, or change the allowed addresses in the dashboard.',
    additive: true,
  },
  ACCOUNT_SUSPENDED: {
    status: 403,
    message: 'This account is suspended. Its members can see the reason and a contact in the dashboard.',
    additive: true,
  },
  VIDEO_NOT_FOUND: { status: 404, message: 'No video with this id exists in your account.' },
  CAPTIONS_NOT_FOUND: { status: 404, message: 'This video has no captions in this language.', additive: true },
  PLAYBACK_TOKEN_EXPIRED: { status: 401, message: 'This playback token is older than 5 minutes. Request a new one from your backend.' },
  PLAYBACK_TOKEN_INVALID: {
    status: 401,
    message: 'This playback token is not valid for this video. Request a new one from your backend.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    message: 'The daily playback-token quota of this key is used up. It resets at UTC midnight; do not retry before then.',
  },
  INVALID_REQUEST: { status: 400, message: 'The request is invalid. See details.', additive: true },
  UNAUTHENTICATED: { status: 401, message: 'Sign in to continue.', additive: true, dashboard: true },
  FORBIDDEN: { status: 403, message: 'Your role does not permit this action.', additive: true, dashboard: true },
  NOT_FOUND: { status: 404, message: 'No endpoint exists at this URL. See the API reference for the available endpoints.', additive: true },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'This endpoint does not support this method. The Allow header lists the supported methods.',
    additive: true,
  },
  CONFLICT: { status: 409, message: 'The request conflicts with the current state of the resource.', additive: true, dashboard: true },
  UPLOAD_NOT_FOUND: { status: 404, message: 'No upload with this id exists in your account.', additive: true },
  UPLOAD_URL_INVALID: {
    status: 403,
    message: 'This upload URL is not valid. Use the uploadUrl of the response unchanged, or create another upload.',
    additive: true,
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: 'Pages of this origin may not use this upload. Create the upload with the origin of the page as allowedOrigin.',
    additive: true,
  },
  UPLOAD_CONFLICT: {
    status: 409,
    message: 'The upload is not in the state that this request expects. Request its state, then go on from there.',
    additive: true,
  },
  UPLOAD_EXPIRED: { status: 410, message: 'This upload has expired. Create another one.', additive: true },
  UPLOAD_FAILED: { status: 410, message: 'This upload has failed or was cancelled. Create another one.', additive: true },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    message: 'This Idempotency-Key was used for a different request. Send the same request again, or use another value.',
    additive: true,
  },
  VIDEO_NOT_READY: {
    status: 409,
    message: 'The video is not COMPLETED yet. Poll it every 10 to 30 seconds, then try again.',
    additive: true,
  },
  DOWNLOADS_DISABLED: {
    status: 403,
    message: 'This account does not permit downloads. An owner can permit them in the settings of the dashboard.',
    additive: true,
  },
  DOWNLOAD_TOO_LARGE: {
    status: 409,
    message: 'The MP4 of this quality is larger than the account may keep for downloads. Request a lower quality, or the original.',
    additive: true,
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request was not received in time. Send it again, if possible over a faster connection.',
    additive: true,
  },
  EXTERNAL_ID_IN_USE: { status: 409, message: 'Another video of the account has this externalId.', additive: true },
  COLLECTION_NOT_FOUND: { status: 404, message: 'No collection with this id exists in your account.', additive: true },
  COLLECTION_NAME_IN_USE: { status: 409, message: 'Another collection of the account has this name.', additive: true },
  COLLECTION_LIMIT_REACHED: {
    status: 409,
    message: 'There are as many collections as the account, or the video, can have. Delete or leave another one first.',
    additive: true,
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The video has changed since the ETag in If-Match. Read it again, then repeat the change.',
    additive: true,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Send the body with a Content-Type that this endpoint accepts: application/json, or the type of the file.',
    additive: true,
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request is larger than this endpoint accepts.', additive: true },
  TOO_MANY_ATTEMPTS: { status: 429, message: 'Too many attempts. Wait a moment and try again.', additive: true },
  INTERNAL_ERROR: {
    status: 500,
    message: 'An internal error occurred. Try again. If it persists, contact the operator with the request id.',
    additive: true,
  },
  STORAGE_FULL: {
    status: 507,
    message: 'The service has no storage left for this upload. Uploaded data is kept: resume the upload later, or contact your operator.',
    additive: true,
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service is temporarily unavailable. Try again after the number of seconds in Retry-After.',
    additive: true,
  },
} as const satisfies Record<string, { status: number; message: string; additive?: true; dashboard?: true }>

export type ErrorCode = keyof typeof ERRORS

export interface ErrorExtras {
  /** Replaces the table's message. Describes what to do next; never holds a secret. */
  message?: string
  /** Machine-readable specifics, e.g. which field is wrong. */
  details?: unknown
  /** Seconds; on 429 and 503. */
  retryAfter?: number
  /** Response headers that belong to the error (`Allow`, `X-RateLimit-*`). */
  headers?: Record<string, string>
  /** Video and token (`jti`) of the request, where the caller has proven a right to it: for the request log. */
  about?: { videoId: string; tokenId: string }
  cause?: unknown
}

/** An error that is intended for the caller. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, extras: ErrorExtras = {}) {
    // A response, not a fault: its stack is never read, and capturing one costs more than the response.
    const depth = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(extras.message ?? ERRORS[code].message, { cause: extras.cause })
    Error.stackTraceLimit = depth
    this.name = 'ServiceError'
    this.code = code
    this.extras = extras
  }
}

/**
 * Input of a use case that edits. A page must send the values that it showed (`expected` is required by the schema); a program states the new
 * values regardless of the stored ones, and omits it.
 */
export type Edit<Input extends { expected: unknown }> = Omit<Input, 'expected'> & { expected?: Input['expected'] | undefined }

/** Returns CONFLICT for an edit of values that changed since the caller read them; `current` holds the present values, field by field. */
export const changedMeanwhile = (current: Record<string, unknown>) =>
  new ServiceError('CONFLICT', {
    message: 'These values changed while you were editing. Your changes were not saved.',
    details: current,
  })

/**
 * Returns FORBIDDEN for a user who must set up a second factor first; `details.reason` lets a page link to the set-up. `who` requires it.
 */
export const secondFactorMissing = (who: string) =>
  new ServiceError('FORBIDDEN', {
    message: `${who} must use two-factor sign-in. Set it up, then try again.`,
    details: { reason: 'second-factor' },
  })

/** Message of FORBIDDEN for a request that changes something and comes from another origin. */
export const OTHER_ORIGIN = 'This request is accepted only from the dashboard.'

/** Compares the code instead of using `instanceof`: two module graphs hold two copies of the class. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && error.name === 'ServiceError' && (error as ServiceError).code in ERRORS
}

/**
 * Codes with which a request may succeed if it is repeated: of the network, of PostgreSQL and of Prisma. A code of PostgreSQL is listed with
 * all five characters, or by its class of two.
 */
const UNAVAILABLE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  // Lost or refused connections; too many of them, or a full disk; a statement that was cancelled, and a server that stops or starts.
  ...['08', '53', '57014', '57P01', '57P02', '57P03', '57P05'],
  // A read-only database, as during a failover; a lock that was not granted in time; a deadlock or a conflict of transactions.
  ...['25006', '55P03', '40P01', '40001'],
  // A server in recovery or a database that accepts no connections yet; a commit whose outcome is unknown; transactions that took too long.
  ...['55000', '40003', '25P03', '25P04'],
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034'],
])

/** Texts of errors of the driver and its pool, which have no code. */
const LOST =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end/

const BUSY = 'The service is at capacity. Try again after the number of seconds in Retry-After.'

const LONG_ANSWERS = 'This account has too many open pages, downloads or waiting requests of this kind. Close some of them.'

interface Refused {
  code: string
  queue: string
  isOwn: boolean
  retryAfter: number
}

/** Recognises a refusal of `server/platform/turns/turns.ts` by its code, like a ServiceError. */
const isTurnRefused = (thrown: unknown): thrown is Refused => (thrown as { code?: unknown } | undefined)?.code === 'TURN_REFUSED'

/** Returns 429 where the caller's own requests fill the queue, otherwise 503. */
function refusedTurn({ isOwn, queue, retryAfter }: Refused): ServiceError {
  if (!isOwn) return new ServiceError('SERVICE_UNAVAILABLE', { message: BUSY, retryAfter })
  const fault = queue === 'long-answers' ? LONG_ANSWERS : 'Too many requests of this account or network are waiting.'
  const message = `${fault} Try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`
  return new ServiceError('TOO_MANY_ATTEMPTS', { message, retryAfter, details: { reason: 'queue', queue } })
}

/** Recognises a media storage that does not respond (server/platform/storage/storage-error.ts), also by its code. */
const isStorageUnavailable = (thrown: unknown) => (thrown as { code?: unknown } | undefined)?.code === 'STORAGE_UNAVAILABLE'

/** Returns the code of an error, and the database's code, which Prisma wraps. */
function codesOf(thrown: unknown): (string | undefined)[] {
  const { code, meta } = (thrown ?? {}) as { code?: string; meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } }
  return [code, meta?.driverAdapterError?.cause?.originalCode]
}

const isUnavailable = (code: string | undefined) =>
  code !== undefined && (UNAVAILABLE.has(code) || (code.length === 5 && UNAVAILABLE.has(code.slice(0, 2))))

/**
 * Like `asServiceError`, for tokens and playback: there 429 means that the quota is used up (specification §7), so a full queue is 503.
 */
export const asPlaybackError = (thrown: unknown): ServiceError =>
  asServiceError(isTurnRefused(thrown) ? { code: thrown.code, queue: thrown.queue, isOwn: false, retryAfter: thrown.retryAfter } : thrown)

/** Converts any thrown value to an error of the table: an unreachable database is 503, everything unforeseen 500. */
export function asServiceError(thrown: unknown): ServiceError {
  if (isServiceError(thrown)) return thrown
  if (isTurnRefused(thrown)) return refusedTurn(thrown)
  if (isStorageUnavailable(thrown)) return new ServiceError('SERVICE_UNAVAILABLE', { cause: thrown, retryAfter: 5 })
  const isLost = thrown instanceof Error && LOST.test(thrown.message)
  const kind: ErrorCode = isLost || codesOf(thrown).some(isUnavailable) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR'
  return new ServiceError(kind, { cause: thrown, retryAfter: kind === 'SERVICE_UNAVAILABLE' ? 5 : undefined })
}
