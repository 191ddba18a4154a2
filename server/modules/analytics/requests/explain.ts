import type { AccountCtx } from '../../../context.ts'
import { ERROR_HELP } from '../../../error-help.ts'
import { ERRORS, type ErrorCode, ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { type KeyState, keyStateOf } from '../../access/keys/state.ts'
import { contentAccessOf } from '../../audit/content-access.ts'
import { openOwnId } from '../../identity/viewers/reference.ts'
import { BODIES_KEPT } from '../prune.ts'
import { CHECK_OF, type Check, type RequestIdInput } from '../schema.ts'
import { LISTED, type ListedRequest, LOG } from './list-requests.ts'

/** One check of a request. `unreached`: an earlier check failed. `unknown`: the service itself failed. */
export interface ExplainedCheck {
  check: Check | 'service'
  outcome: 'passed' | 'failed' | 'unreached' | 'unknown'
}

/** A request of the log with the checks that led to its response. */
export interface Explanation extends ListedRequest {
  /** Decoded; secrets are redacted. */
  query: string
  address: string | null
  userAgent: string | null
  /** `jti` of the request's playback token. */
  tokenId: string | null
  /** Request headers kept in the log. Of an idempotency key, only its presence. */
  requestHeaders: Record<string, string>
  /** Response headers kept in the log. */
  responseHeaders: Record<string, string>
  /** Of a call with a test key in the last day, redacted; null for other calls, and for support staff. */
  bodies: { request: string | null; response: string | null } | null
  /** Whom its token names, if it was refused for that. The customer's own ID is null for support staff. */
  viewer: { reference: string; id: string | null } | null
  /** When the video that it is about was deleted. */
  videoDeletedAt: Date | null
  /** In order; at most one failed. */
  checks: ExplainedCheck[]
  /** The error's message, its cause and its fix. Null for a success. `said` is the message if it differs from the code's default. */
  error: { code: string; message: string; said: string | null; details: unknown; cause: string | null; fix: string | null } | null
  /** The key's current state. Null if the request had no key of the account. */
  key: { id: string; name: string; prefix: string; state: KeyState; changedAt: Date | null } | null
}

interface Row extends Omit<Explanation, 'checks' | 'error' | 'key' | 'viewer'> {
  viewerId: string | null
  ownId: Buffer | null
  message: string | null
  details: unknown
  checks: Check[]
  prefix: string | null
  revokedAt: Date | null
  expiresAt: Date | null
  disabledAt: Date | null
  /** Unix milliseconds by the database's clock. */
  now: number
}

/** Returns the account's request with this ID. Errors: NOT_FOUND, also for another account's request. */
export async function explainRequest(ctx: AccountCtx, { requestId }: RequestIdInput): Promise<Explanation> {
  const [row] = await query<Row>(
    'explain-request',
    `SELECT ${LISTED}, r.query, r.address, r.user_agent AS "userAgent", r.token_id AS "tokenId", r.response_headers AS "responseHeaders",
       r.request_headers AS "requestHeaders", r.details, r.message, r.checks,
       CASE WHEN $3 AND r.at > service_now() - ${BODIES_KEPT} THEN r.bodies END AS bodies,
       (SELECT deleted_at FROM video gone WHERE gone.id = r.video_id AND gone.account_id = r.account_id) AS "videoDeletedAt",
       api_key.prefix, api_key.revoked_at AS "revokedAt", api_key.expires_at AS "expiresAt", api_key.disabled_at AS "disabledAt",
       (extract(epoch FROM service_now()) * 1000)::float8 AS now, r.viewer_id AS "viewerId", viewer.own_id AS "ownId"
     FROM ${LOG} LEFT JOIN viewer ON viewer.id = r.viewer_id AND viewer.account_id = r.account_id WHERE r.account_id = $1 AND r.id = $2`,
    [ctx.accountId, requestId, ctx.actor.kind !== 'support'],
  )
  if (!row)
    throw new ServiceError('NOT_FOUND', {
      message:
        'The request log has no request with this ID. It covers the last 7 days, and keeps only a sample of successful requests at high volume.',
    })
  const { details, message, checks, prefix, revokedAt, expiresAt, disabledAt, now, viewerId, ownId, ...call } = row
  const viewer = viewerId && ownId ? { reference: viewerId, id: contentAccessOf(ctx) ? openOwnId(viewerId, ownId) : null } : null
  return { ...call, viewer, checks: explained(checks, call.code), error: errorOf(call.code, details, message), key: keyOf(row) }
}

/** Derives the outcome of each check from the error code: passed before the failed check, not reached after it. */
export function explained(checks: readonly Check[], code: string | null): ExplainedCheck[] {
  const failed = code === null ? undefined : CHECK_OF[code as keyof typeof CHECK_OF]
  if (failed === undefined) return checks.map((check) => ({ check, outcome: 'passed' }))
  if (failed === 'service')
    return [...checks.map((check) => ({ check, outcome: 'unknown' as const })), { check: 'service', outcome: 'failed' }]
  const at = checks.indexOf(failed)
  return checks.map((check, position) => ({ check, outcome: position < at ? 'passed' : position === at ? 'failed' : 'unreached' }))
}

function errorOf(code: string | null, details: unknown, said: string | null): Explanation['error'] {
  if (code === null) return null
  const why = (ERROR_HELP as Record<string, { cause: string; fix: string }>)[code]
  return {
    code,
    message: said ?? ERRORS[code as ErrorCode]?.message ?? code,
    said,
    details,
    cause: why?.cause ?? null,
    fix: why?.fix ?? null,
  }
}

function keyOf({ keyId, keyName, prefix, ...life }: Row): Explanation['key'] {
  if (keyId === null || keyName === null || prefix === null) return null
  const state = keyStateOf(life, life.now)
  const changedAt = {
    REVOKED: life.revokedAt,
    ROTATING_OUT: life.revokedAt,
    EXPIRED: life.expiresAt,
    DISABLED: life.disabledAt,
    ACTIVE: null,
  }[state]
  return { id: keyId, name: keyName, prefix, state, changedAt }
}
