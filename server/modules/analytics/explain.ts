import type { AccountCtx } from '../../context.ts'
import { ERROR_HELP } from '../../error-help.ts'
import { ERRORS, type ErrorCode, ServiceError } from '../../errors.ts'
import { query } from '../../platform/database.ts'
import { type KeyState, keyStateOf } from '../api-keys/state.ts'
import { LISTED, type ListedRequest, LOG } from './list-requests.ts'
import { CHECK_OF, type Check, type RequestIdInput } from './schema.ts'

/** One step of what a call was checked for. `unreached`: an earlier one had failed. `unknown`: the service itself failed. */
export interface ExplainedCheck {
  check: Check | 'service'
  outcome: 'passed' | 'failed' | 'unreached' | 'unknown'
}

/** Why a call was answered as it was. */
export interface Explanation extends ListedRequest {
  /** Decoded; secrets are cut out. */
  query: string
  address: string | null
  userAgent: string | null
  /** `jti` of the token it was about. */
  tokenId: string | null
  /** Request headers that say something about this call; of an idempotency key only that there was one. */
  sent: Record<string, string>
  /** Response headers that say something about this call. */
  headers: Record<string, string>
  /** In order; at most one has failed. */
  checks: ExplainedCheck[]
  /**
   * What the error said, and beyond it why it happens and what ends it; null for a success. `said` is set where the sentence is not the
   * code's usual one.
   */
  error: { code: string; message: string; said: string | null; details: unknown; cause: string | null; fix: string | null } | null
  /** The key as it is now; null where none was sent that the account has. */
  key: { id: string; name: string; prefix: string; state: KeyState; changedAt: Date | null } | null
}

interface Row extends ListedRequest {
  query: string
  address: string | null
  userAgent: string | null
  tokenId: string | null
  headers: Record<string, string>
  sent: Record<string, string>
  message: string | null
  details: unknown
  checks: Check[]
  prefix: string | null
  revokedAt: Date | null
  expiresAt: Date | null
  disabledAt: Date | null
  /** Milliseconds since 1970 by the database's clock. */
  now: number
}

/** A call of the account by its request id. Errors: NOT_FOUND, also for another account's. */
export async function explainRequest(ctx: AccountCtx, { requestId }: RequestIdInput): Promise<Explanation> {
  const [row] = await query<Row>(
    'explain-request',
    `SELECT ${LISTED}, r.query, r.address, r.user_agent AS "userAgent", r.token_id AS "tokenId", r.headers, r.sent, r.details, r.message, r.checks,
       api_key.prefix, api_key.revoked_at AS "revokedAt", api_key.expires_at AS "expiresAt", api_key.disabled_at AS "disabledAt",
       (extract(epoch FROM service_now()) * 1000)::float8 AS now
     FROM ${LOG} WHERE r.account_id = $1 AND r.id = $2`,
    [ctx.accountId, requestId],
  )
  if (!row)
    throw new ServiceError('NOT_FOUND', {
      message: 'The log has no call with this id. It goes back 7 days, and of very many successful calls it keeps a sample.',
    })
  const { details, message, checks, prefix, revokedAt, expiresAt, disabledAt, now, ...call } = row
  return { ...call, checks: explained(checks, call.code), error: errorOf(call.code, details, message), key: keyOf(row) }
}

/** Which check failed, and so which were passed before and not reached after. */
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
  const changedAt = { REVOKED: life.revokedAt, ENDING: life.revokedAt, EXPIRED: life.expiresAt, DISABLED: life.disabledAt, WORKING: null }[
    state
  ]
  return { id: keyId, name: keyName, prefix, state, changedAt }
}
