import type { AccountCtx } from '../../context.ts'
import { type ErrorCode, ServiceError, scopeMissing } from '../../errors.ts'
import type { Scope } from '../../scopes.ts'
import type { VideoObject } from './schema.ts'

/** How one fixture ID behaves for a test key. Unset fields behave as for the COMPLETED one. */
export interface Fixture {
  description: string
  status?: VideoObject['status']
  /** The error of both read endpoints and of the token endpoint. */
  videoError?: ErrorCode
  /** The error of the token endpoint alone. */
  tokenError?: ErrorCode
  /** The defect of the token it issues. */
  tokenDefect?: 'expired' | 'forged' | 'deleted'
}

/** IDs that only test keys recognize, so that a backend's tests can produce every status and every error. Media: fixture-media.ts. */
export const FIXTURES = {
  vid_test_completed: { description: 'A COMPLETED video of 20 seconds; its tokens play.' },
  vid_test_pending: { description: 'A PENDING video; token requests return VIDEO_NOT_READY.', status: 'PENDING' },
  vid_test_processing: { description: 'A PROCESSING video; token requests return VIDEO_NOT_READY.', status: 'PROCESSING' },
  vid_test_failed: { description: 'A FAILED video; token requests return VIDEO_NOT_READY.', status: 'FAILED' },
  vid_test_not_found: { description: 'Returns VIDEO_NOT_FOUND.', videoError: 'VIDEO_NOT_FOUND' },
  vid_test_key_required: { description: 'Returns API_KEY_REQUIRED even if a key is sent.', videoError: 'API_KEY_REQUIRED' },
  vid_test_key_invalid: { description: 'Returns INVALID_API_KEY, as after a revocation.', videoError: 'INVALID_API_KEY' },
  vid_test_scope_missing: { description: 'Returns INSUFFICIENT_SCOPE.', videoError: 'INSUFFICIENT_SCOPE' },
  vid_test_ip_not_allowed: {
    description: 'Returns IP_NOT_ALLOWED, as from an IP address that the key does not allow.',
    videoError: 'IP_NOT_ALLOWED',
  },
  vid_test_account_suspended: {
    description: 'Returns ACCOUNT_SUSPENDED, as for a key of a suspended account.',
    videoError: 'ACCOUNT_SUSPENDED',
  },
  vid_test_rate_limited: {
    description: 'A COMPLETED video; token requests return RATE_LIMIT_EXCEEDED.',
    tokenError: 'RATE_LIMIT_EXCEEDED',
  },
  vid_test_internal_error: { description: 'Returns INTERNAL_ERROR.', videoError: 'INTERNAL_ERROR' },
  vid_test_unavailable: { description: 'Returns SERVICE_UNAVAILABLE with Retry-After.', videoError: 'SERVICE_UNAVAILABLE' },
  vid_test_token_expired: { description: 'Issues a token whose exchange returns PLAYBACK_TOKEN_EXPIRED.', tokenDefect: 'expired' },
  vid_test_token_invalid: { description: 'Issues a token whose exchange returns PLAYBACK_TOKEN_INVALID.', tokenDefect: 'forged' },
  vid_test_deleted: { description: 'Issues a token whose exchange returns VIDEO_NOT_FOUND.', tokenDefect: 'deleted' },
} as const satisfies Record<string, Fixture>

/** Returns the fixture that a test key's call refers to. */
export function fixtureFor({ actor }: AccountCtx, videoId: string): Fixture | undefined {
  return actor.kind === 'key' && actor.environment === 'TEST' ? fixture(videoId) : undefined
}

/** Returns the fixture of a verified token. Only a test key can get such a token. */
export const fixture = (videoId: string): Fixture | undefined =>
  Object.hasOwn(FIXTURES, videoId) ? (FIXTURES as Record<string, Fixture>)[videoId] : undefined

/** Returns a fixture's error with the details of a real one. `needs` is the operation's scope. */
export function fixtureError(code: ErrorCode, needs: Scope = 'video:read'): ServiceError {
  if (code === 'SERVICE_UNAVAILABLE') return new ServiceError(code, { retryAfter: 5 })
  if (code === 'INSUFFICIENT_SCOPE') return scopeMissing(needs)
  // An address reserved for documentation (RFC 5737).
  if (code === 'IP_NOT_ALLOWED') return new ServiceError(code, { details: { address: '192.0.2.1' } })
  return new ServiceError(code)
}

/** Returns a fixture's Video object. Its times are constant, so that tests can compare whole responses. */
export function fixtureVideo(videoId: string, { status = 'COMPLETED' }: Fixture): VideoObject {
  const done = status === 'COMPLETED'
  return {
    id: videoId,
    title: `Fixture ${videoId.slice('vid_test_'.length).replaceAll('_', ' ')}`,
    description: null,
    status,
    durationSec: done ? 20 : 0,
    targetQuality: '720p',
    qualities: done ? ['720p', '480p', '360p', '240p'] : [],
    createdAt: '2026-01-01T00:00:00.000Z',
    completedAt: done ? '2026-01-01T00:01:00.000Z' : null,
  }
}
