// The contract, written independently: reading it from the service would make every check pass.

/** code → status. Additive codes included. */
export const ERRORS = {
  API_KEY_REQUIRED: 401,
  INVALID_API_KEY: 401,
  INSUFFICIENT_SCOPE: 403,
  IP_NOT_ALLOWED: 403,
  ACCOUNT_SUSPENDED: 403,
  VIDEO_NOT_FOUND: 404,
  PLAYBACK_TOKEN_EXPIRED: 401,
  PLAYBACK_TOKEN_INVALID: 401,
  PLAYBACK_NOT_ALLOWED: 403,
  VIEWER_NOT_FOUND: 404,
  RATE_LIMIT_EXCEEDED: 429,
  INVALID_REQUEST: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CAPTIONS_NOT_FOUND: 404,
  CAPTIONS_CONFLICT: 409,
  VIDEO_NOT_READY: 409,
  IDEMPOTENCY_KEY_REUSED: 409,
  COLLECTION_NAME_IN_USE: 409,
  COLLECTION_NOT_FOUND: 404,
  DOWNLOADS_DISABLED: 403,
  EXTERNAL_ID_IN_USE: 409,
  PRECONDITION_FAILED: 412,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_MANY_ATTEMPTS: 429,
  PAYLOAD_TOO_LARGE: 413,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
}

export const VIDEO_FIELDS = {
  id: (value) => typeof value === 'string' && /^vid_\w+$/.test(value),
  title: (value) => typeof value === 'string',
  description: (value) => value === null || typeof value === 'string',
  status: (value) => ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'].includes(value),
  durationSec: (value) => Number.isInteger(value) && value >= 0,
  targetQuality: (value) => typeof value === 'string' && QUALITY.test(value),
  qualities: (value) => Array.isArray(value) && value.every((one) => QUALITY.test(one)),
  createdAt: (value) => isTime(value),
  completedAt: (value) => value === null || isTime(value),
}

export const TOKEN_FIELDS = {
  token: (value) => typeof value === 'string' && /^pt_[\w-]+\.[\w-]+\.[\w-]+$/.test(value),
  expiresIn: (value) => value === TOKEN_LIFETIME,
  playerUrl: (value) => isUrl(value),
}

export const MANIFEST_FIELDS = {
  masterPlaylistUrl: (value) => isUrl(value) && new URL(value).pathname.endsWith('.m3u8'),
  qualities: (value) => Array.isArray(value) && value.length > 0 && value.every((one) => QUALITY.test(one)),
  encrypted: (value) => typeof value === 'boolean',
  expiresAt: (value) => isTime(value),
  sessionExpiresAt: (value) => isTime(value),
}

const isCount = (value) => Number.isInteger(value) && value >= 0
const isDecimal = (value) => typeof value === 'string' && /^\d+(\.\d{1,6})?$/.test(value)

export const BALANCE_FIELDS = {
  balance: isDecimal,
  unit: (value) => value === 'credit',
  tier: (value) => ['FREE', 'PAID'].includes(value),
  lowBalanceThreshold: (value) => value === null || isDecimal(value),
  updatedAt: (value) => isTime(value),
}

/** What a viewer has watched of a video. */
const PROGRESS_FIELDS = {
  watchedSec: isCount,
  durationSec: isCount,
  positionSec: (value) => typeof value === 'number' && value >= 0,
  firstAt: (value) => isTime(value),
  lastAt: (value) => isTime(value),
  completedAt: (value) => value === null || isTime(value),
}
export const VIDEO_VIEWER_FIELDS = { viewerId: (value) => typeof value === 'string', ...PROGRESS_FIELDS }
export const VIEWER_FIELDS = {
  id: (value) => typeof value === 'string',
  firstSeenAt: (value) => isTime(value),
  lastSeenAt: (value) => isTime(value),
  sessions: (value) => Array.isArray(value),
  videos: (value) => Array.isArray(value),
}

export const USAGE_COUNTS = { tokensIssued: isCount, tokensRefused: isCount, requests: isCount, credits: isDecimal }
export const USAGE_DAY_FIELDS = {
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value),
  keyId: (value) => typeof value === 'string',
  keyName: (value) => typeof value === 'string',
  keyPrefix: (value) => /^ak_(live|test)_\w{4}$/.test(value),
  ...USAGE_COUNTS,
}

export const TOKEN_LIFETIME = 300
export const KEY_LENGTH = 40
export const DAY = 86_400

const QUALITY = /^[1-9]\d{1,4}p$/
const isTime = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) && !Number.isNaN(Date.parse(value))
const isUrl = (value) => typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value)

/** Every address of version 1 and its methods. `{…}` is a placeholder for a segment. */
export const ADDRESSES = {
  '/v1/video': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/video/{videoId}': ['GET', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  '/v1/video/{videoId}/restore': ['POST', 'OPTIONS'],
  '/v1/video/{videoId}/captions': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/video/{videoId}/captions/{language}': ['PUT', 'DELETE', 'OPTIONS'],
  '/v1/video/{videoId}/captions/{language}/generate': ['POST', 'OPTIONS'],
  '/v1/video/{videoId}/transcript': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/video/{videoId}/poster': ['PUT', 'OPTIONS'],
  '/v1/video/{videoId}/processing': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/video/{videoId}/playback-token': ['POST', 'OPTIONS'],
  '/v1/video/playback/manifest/{token}': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/video/{videoId}/viewers': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/viewer': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/viewer/{viewerId}': ['GET', 'DELETE', 'HEAD', 'OPTIONS'],
  '/v1/viewer/{viewerId}/video/{videoId}': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/viewer/{viewerId}/end': ['POST', 'OPTIONS'],
  '/v1/billing/balance': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/billing/usage': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/analytics/plays': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/analytics/quality': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/event': ['GET', 'HEAD', 'OPTIONS'],
  '/v1/event/{eventType}/sample': ['POST', 'OPTIONS'],
  '/v1/openapi.json': ['GET', 'HEAD', 'OPTIONS'],
}

/** Fixture IDs of test keys → the result of reads, the token endpoint and the exchange: a video's status or an error code. */
export const FIXTURES = {
  vid_test_completed: { read: 'COMPLETED', exchange: 'OK' },
  vid_test_pending: { read: 'PENDING', token: 'VIDEO_NOT_READY' },
  vid_test_processing: { read: 'PROCESSING', token: 'VIDEO_NOT_READY' },
  vid_test_failed: { read: 'FAILED', token: 'VIDEO_NOT_READY' },
  vid_test_not_found: { read: 'VIDEO_NOT_FOUND', token: 'VIDEO_NOT_FOUND' },
  vid_test_key_required: { read: 'API_KEY_REQUIRED', token: 'API_KEY_REQUIRED' },
  vid_test_key_invalid: { read: 'INVALID_API_KEY', token: 'INVALID_API_KEY' },
  vid_test_scope_missing: { read: 'INSUFFICIENT_SCOPE', token: 'INSUFFICIENT_SCOPE' },
  vid_test_ip_not_allowed: { read: 'IP_NOT_ALLOWED', token: 'IP_NOT_ALLOWED' },
  vid_test_account_suspended: { read: 'ACCOUNT_SUSPENDED', token: 'ACCOUNT_SUSPENDED' },
  vid_test_rate_limited: { read: 'COMPLETED', token: 'RATE_LIMIT_EXCEEDED' },
  vid_test_internal_error: { read: 'INTERNAL_ERROR', token: 'INTERNAL_ERROR' },
  vid_test_unavailable: { read: 'SERVICE_UNAVAILABLE', token: 'SERVICE_UNAVAILABLE' },
  vid_test_token_expired: { read: 'COMPLETED', exchange: 'PLAYBACK_TOKEN_EXPIRED' },
  vid_test_token_invalid: { read: 'COMPLETED', exchange: 'PLAYBACK_TOKEN_INVALID' },
  vid_test_deleted: { read: 'COMPLETED', exchange: 'VIDEO_NOT_FOUND' },
}

/** Fixture viewers of test keys → the reason of the refusal, by what is refused. */
export const FIXTURE_VIEWERS = {
  test_country: { exchange: 'COUNTRY' },
  test_address: { exchange: 'ADDRESS' },
  test_sessions: { exchange: 'SESSIONS' },
  test_height: { playlist: 'HEIGHT' },
}
