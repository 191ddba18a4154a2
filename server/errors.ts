/**
 * Every error that a caller can receive. REST, tRPC, the OpenAPI description and the documentation read this table (specification §7).
 * `additive` marks errors that the specification does not name.
 */
export const ERRORS = {
  API_KEY_REQUIRED: { status: 401, message: 'Send your API key in the x-service-key header.' },
  INVALID_API_KEY: {
    status: 401,
    message: 'This API key is unknown, revoked, disabled or expired. Check it in the dashboard, or create a new key there.',
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    message: 'This API key lacks the scope that this endpoint requires. Add the scope in the dashboard, or use another key.',
  },
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
  VIDEO_NOT_FOUND: { status: 404, message: 'Your account has no video with this ID.' },
  VIEWER_NOT_FOUND: {
    status: 404,
    message: 'Your account has no viewer with this ID, or their data was deleted.',
    additive: true,
  },
  CAPTIONS_NOT_FOUND: { status: 404, message: 'This video has no captions in this language.', additive: true },
  CAPTIONS_CONFLICT: {
    status: 409,
    message: 'These captions cannot be generated. See details.reason.',
    additive: true,
  },
  PLAYBACK_TOKEN_EXPIRED: { status: 401, message: 'This playback token is older than 5 minutes. Request a new one from your backend.' },
  PLAYBACK_TOKEN_INVALID: {
    status: 401,
    message: 'This playback token is not valid for this video. Request a new one from your backend.',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    message: 'This key has used its daily quota of playback tokens. The quota resets at midnight UTC; do not retry before then.',
  },
  PLAYBACK_NOT_ALLOWED: {
    status: 403,
    message: 'This playback token’s policy does not allow this request. See details.reason.',
    additive: true,
  },
  INVALID_REQUEST: { status: 400, message: 'The request is invalid. See details.', additive: true },
  UNAUTHENTICATED: { status: 401, message: 'Sign in to continue.', additive: true, dashboard: true },
  FORBIDDEN: { status: 403, message: 'Your role does not allow this action.', additive: true, dashboard: true },
  NOT_FOUND: { status: 404, message: 'No endpoint exists at this URL. See the API reference for the available endpoints.', additive: true },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'This endpoint does not support this method. The Allow header lists the supported methods.',
    additive: true,
  },
  CONFLICT: { status: 409, message: 'The request conflicts with the current state of the resource.', additive: true, dashboard: true },
  UPLOAD_NOT_FOUND: { status: 404, message: 'Your account has no upload with this ID.', additive: true },
  UPLOAD_URL_INVALID: {
    status: 403,
    message: 'This upload URL is not valid. Use uploadUrl exactly as you received it, or create another upload.',
    additive: true,
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    message: 'Pages from this origin may not use this upload. Set allowedOrigin to the origin of your page when you create the upload.',
    additive: true,
  },
  UPLOAD_CONFLICT: {
    status: 409,
    message: 'The upload is not in the state that this request expects. Fetch its status, then resume.',
    additive: true,
  },
  UPLOAD_EXPIRED: { status: 410, message: 'This upload has expired. Create another one.', additive: true },
  UPLOAD_FAILED: { status: 410, message: 'This upload failed or was cancelled. Create another one.', additive: true },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    message: 'This Idempotency-Key was already used for a different request. Repeat that request unchanged, or use a new value.',
    additive: true,
  },
  VIDEO_NOT_READY: {
    status: 409,
    message: 'This video is not COMPLETED yet. Poll it every 10 to 30 seconds, and try again once it is.',
    additive: true,
  },
  DOWNLOADS_DISABLED: {
    status: 403,
    message: 'Downloads are off for this account. An owner can turn them on in the dashboard settings.',
    additive: true,
  },
  DOWNLOAD_TOO_LARGE: {
    status: 409,
    message: 'The MP4 in this quality exceeds the account’s download limit. Request a lower quality, or the original.',
    additive: true,
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'The request took too long to arrive. Send it again, over a faster connection if you can.',
    additive: true,
  },
  EXTERNAL_ID_IN_USE: { status: 409, message: 'Another video in your account has this externalId.', additive: true },
  COLLECTION_NOT_FOUND: { status: 404, message: 'Your account has no collection with this ID.', additive: true },
  COLLECTION_NAME_IN_USE: { status: 409, message: 'Another collection in your account has this name.', additive: true },
  COLLECTION_LIMIT_REACHED: {
    status: 409,
    message: 'The account or the video has reached its limit of collections. Delete a collection, or remove the video from one.',
    additive: true,
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The video has changed since you read the ETag in If-Match. Fetch it again, then repeat the change.',
    additive: true,
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'Set Content-Type to a type that this endpoint accepts: application/json, or the type of the file.',
    additive: true,
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request is larger than this endpoint accepts.', additive: true },
  TOO_MANY_ATTEMPTS: { status: 429, message: 'Too many attempts. Wait a moment and try again.', additive: true },
  INTERNAL_ERROR: {
    status: 500,
    message: 'An internal error occurred. Try again. If it happens again, send the request ID to the operator.',
    additive: true,
  },
  STORAGE_FULL: {
    status: 507,
    message: 'The service is out of storage. Uploaded data is kept: resume the upload later, or contact your operator.',
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
  /** Replaces the table's message. Says what to do next; never contains a secret. */
  message?: string
  /** Machine-readable details, such as which field is wrong. */
  details?: unknown
  /** In seconds. Set on 429 and 503. */
  retryAfter?: number
  /** Response headers that belong to the error (`Allow`, `X-RateLimit-*`). */
  headers?: Record<string, string>
  /** The request's video, token (`jti`) and viewer (reference) for the request log, if the caller has proven a right to them. */
  about?: { accountId?: string | undefined; videoId: string; tokenId: string; viewerId?: string | undefined }
  cause?: unknown
}

/** An error meant for the caller. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, extras: ErrorExtras = {}) {
    // This is a response, not a fault: nothing reads its stack, and capturing one costs more than responding.
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
 * Input of a use case that edits. A page must send the values it showed (`expected`, which the schema requires). A program sets new values
 * regardless of the stored ones, and omits `expected`.
 */
export type Edit<Input extends { expected: unknown }> = Omit<Input, 'expected'> & { expected?: Input['expected'] | undefined }

/** Returns CONFLICT for an edit of values that changed after the caller read them. `current` holds the current values, field by field. */
export const changedMeanwhile = (current: Record<string, unknown>) =>
  new ServiceError('CONFLICT', {
    message: 'These values changed while you were editing. Your changes were not saved.',
    details: current,
  })

/** Returns INSUFFICIENT_SCOPE for a key that lacks the scope `needs`. */
export const scopeMissing = (needs: string) =>
  new ServiceError('INSUFFICIENT_SCOPE', {
    message: `This API key lacks ${needs}. Add the scope to the key in the dashboard, or use another key.`,
    details: { needs },
  })

/**
 * Returns FORBIDDEN for a user who must set up a second factor first. `details.reason` lets a page link to the setup. `who` requires it.
 */
export const secondFactorMissing = (who: string) =>
  new ServiceError('FORBIDDEN', {
    message: `${who} must use two-factor sign-in. Set it up, then try again.`,
    details: { reason: 'second-factor' },
  })

/** Message of FORBIDDEN when another origin sends a request that changes something. */
export const OTHER_ORIGIN = 'Only the dashboard may send this request.'

/** Compares the code instead of using `instanceof`: two module graphs hold two copies of the class. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && error.name === 'ServiceError' && (error as ServiceError).code in ERRORS
}

/**
 * Codes of the network, PostgreSQL and Prisma after which a retry may succeed. PostgreSQL's are listed in full, or by their two-character
 * class.
 */
const UNAVAILABLE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  // Lost or refused connections; too many connections, or a full disk; a cancelled statement; a server that is stopping or starting.
  ...['08', '53', '57014', '57P01', '57P02', '57P03', '57P05'],
  // A read-only database, as during a failover; a lock not granted in time; a deadlock or serialization conflict.
  ...['25006', '55P03', '40P01', '40001'],
  // A server in recovery, or a database that does not accept connections yet; a commit with an unknown outcome; transactions that took too
  // long.
  ...['55000', '40003', '25P03', '25P04'],
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034'],
])

/** Messages of errors that the driver and its pool throw without a code. */
const LOST =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end/

const BUSY = 'The service is at capacity. Try again after the number of seconds in Retry-After.'

const LONG_ANSWERS = 'This account has too many pages, downloads or waiting requests of this kind open. Close some of them.'

interface Refused {
  code: string
  queue: string
  isOwn: boolean
  retryAfter: number
}

/** Recognizes a refusal from `server/platform/turns/turns.ts` by its code, like a ServiceError. */
const isTurnRefused = (thrown: unknown): thrown is Refused => (thrown as { code?: unknown } | undefined)?.code === 'TURN_REFUSED'

/** Returns 429 if the caller's own requests fill the queue, otherwise 503. */
function refusedTurn({ isOwn, queue, retryAfter }: Refused): ServiceError {
  if (!isOwn) return new ServiceError('SERVICE_UNAVAILABLE', { message: BUSY, retryAfter })
  const fault = queue === 'long-answers' ? LONG_ANSWERS : 'Too many requests from this account or network are waiting.'
  const message = `${fault} Try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`
  return new ServiceError('TOO_MANY_ATTEMPTS', { message, retryAfter, details: { reason: 'queue', queue } })
}

/** Recognizes an unresponsive media storage (server/platform/storage/storage-error.ts), also by its code. */
const isStorageUnavailable = (thrown: unknown) => (thrown as { code?: unknown } | undefined)?.code === 'STORAGE_UNAVAILABLE'

/** Returns an error's code, and the database's code that Prisma wraps. */
function codesOf(thrown: unknown): (string | undefined)[] {
  const { code, meta } = (thrown ?? {}) as { code?: string; meta?: { driverAdapterError?: { cause?: { originalCode?: string } } } }
  return [code, meta?.driverAdapterError?.cause?.originalCode]
}

const isUnavailable = (code: string | undefined) =>
  code !== undefined && (UNAVAILABLE.has(code) || (code.length === 5 && UNAVAILABLE.has(code.slice(0, 2))))

/**
 * Like `asServiceError`, for tokens and playback. There, 429 means that the quota is used up (specification §7), so a full queue is 503.
 */
export const asPlaybackError = (thrown: unknown): ServiceError =>
  asServiceError(isTurnRefused(thrown) ? { code: thrown.code, queue: thrown.queue, isOwn: false, retryAfter: thrown.retryAfter } : thrown)

/** Converts any thrown value to an error of the table: 503 for an unreachable database or a step that took too long, 500 for anything unexpected. */
export function asServiceError(thrown: unknown): ServiceError {
  if (isServiceError(thrown)) return thrown
  if (isTurnRefused(thrown)) return refusedTurn(thrown)
  if (isStorageUnavailable(thrown)) return new ServiceError('SERVICE_UNAVAILABLE', { cause: thrown, retryAfter: 5 })
  // A step that ran out of its own time says nothing about its input.
  const isLost = thrown instanceof Error && (thrown.name === 'TimeoutError' || LOST.test(thrown.message))
  const kind: ErrorCode = isLost || codesOf(thrown).some(isUnavailable) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR'
  return new ServiceError(kind, { cause: thrown, retryAfter: kind === 'SERVICE_UNAVAILABLE' ? 5 : undefined })
}
