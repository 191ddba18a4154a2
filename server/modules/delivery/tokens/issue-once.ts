import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { isSignedFor, signFor } from '../../../platform/config/secrets.ts'
import { query, type Runner, transaction, vital } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { inOrder } from '../../../platform/turns/request-turns.ts'
import { TOKEN_LIFETIME_SEC } from '../../access/keys/validity.ts'
import type { QuotaUnit } from '../../access/quotas/batched-grant.ts'
import { grant, remainingAfter, remainingQuota } from '../../access/quotas/daily-quota.ts'
import type { PlaybackPolicy } from './policy.ts'
import { newTokenId } from './token.ts'

const POLICY_PURPOSE = 'token-request-policy'

/** A token's identity and its unit of quota. */
export interface TokenIssue {
  unit: QuotaUnit
  jti: string
  /** Unix seconds, with milliseconds. */
  issuedAt: number
  /** Set for a token that was issued before, without using quota again. */
  replayed?: true
}

/** A token request under an Idempotency-Key. */
interface OnceInput {
  videoId: string
  idempotencyKey: string
  policy: PlaybackPolicy
}

/**
 * Issues under an Idempotency-Key: calls with the same API key, video, policy and value within the token's lifetime share one token and one
 * unit of quota, even if they reach different processes concurrently. Undefined if the key no longer works. Errors: IDEMPOTENCY_KEY_REUSED
 * for another video or policy.
 */
export async function issueOnce(ctx: AccountCtx, keyId: string, input: OnceInput): Promise<TokenIssue | undefined> {
  const { videoId, idempotencyKey, policy } = input
  const requestHash = sha256(`${keyId}\0${idempotencyKey}`)
  // A policy names people, so a plain hash of it could be guessed.
  const policyText = JSON.stringify(policy)
  const policyHash = Buffer.from(signFor(POLICY_PURPOSE, policyText))
  const isSamePolicy = (hash: Buffer) => isSignedFor(POLICY_PURPOSE, policyText, hash.toString())
  const issue = async (connection: Runner) => {
    // The second of two concurrent calls at different processes waits here, then finds the first one's row.
    await connection.query('SELECT pg_advisory_xact_lock($1::bigint)', [requestHash.readBigInt64BE().toString()])
    const earlier = await findEarlier(connection, keyId, requestHash)
    // Uses no quota.
    if (earlier && (earlier.videoId !== videoId || !isSamePolicy(earlier.policyHash))) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
    if (earlier) return replay(connection, ctx, keyId, earlier)
    return issueAndRemember(connection, ctx, { keyId, videoId, requestHash, policyHash })
  }
  // Calls of one key would wait for the lock on its counter, each holding a connection.
  return inOrder(ctx.accountId, keyId, () => transaction(issue, [], vital()))
}

interface Earlier {
  videoId: string
  policyHash: Buffer
  jti: string
  issuedAt: number
  now: number
}

async function findEarlier(connection: Runner, keyId: string, requestHash: Buffer): Promise<Earlier | undefined> {
  const [row] = await query<Earlier>(
    'idempotent-token',
    `SELECT video_id AS "videoId", policy_hash AS "policyHash", jti, extract(epoch FROM issued_at)::float8 AS "issuedAt",
       extract(epoch FROM service_now())::float8 AS now
     FROM token_idempotency
     WHERE key_id = $1 AND request_hash = $2 AND issued_at > service_now() - make_interval(secs => $3)`,
    [keyId, requestHash, TOKEN_LIFETIME_SEC],
    connection,
  )
  return row
}

async function replay(connection: Runner, ctx: AccountCtx, keyId: string, { jti, issuedAt, now }: Earlier): Promise<TokenIssue> {
  // Uses the connection already held: callers that each wait for a second one would deadlock.
  const left = await remainingQuota(keyId, ctx.accountId, connection)
  return { jti, issuedAt, replayed: true, unit: { ...left, granted: true, now } }
}

interface Request {
  keyId: string
  videoId: string
  requestHash: Buffer
  policyHash: Buffer
}

async function issueAndRemember(connection: Runner, ctx: AccountCtx, request: Request): Promise<TokenIssue | undefined> {
  const { keyId, videoId, requestHash, policyHash } = request
  const result = await grant(keyId, ctx.accountId, 1, connection)
  if (!result) return undefined
  const { limit, held, resetAt, resetIn, now } = result
  const unit = { limit, held, resetAt, resetIn, now, granted: result.granted === 1, remaining: remainingAfter(result) }
  const jti = newTokenId(keyId)
  if (unit.granted) {
    await query(
      'remember-idempotent-token',
      `WITH stale AS (DELETE FROM token_idempotency WHERE key_id = $1 AND request_hash <> $2 AND issued_at < service_now() - make_interval(secs => $5))
       INSERT INTO token_idempotency (key_id, request_hash, video_id, policy_hash, jti, issued_at) VALUES ($1, $2, $6, $7, $3, to_timestamp($4))
       ON CONFLICT (key_id, request_hash) DO UPDATE SET video_id = EXCLUDED.video_id, policy_hash = EXCLUDED.policy_hash, jti = EXCLUDED.jti, issued_at = EXCLUDED.issued_at`,
      [keyId, requestHash, jti, result.now, TOKEN_LIFETIME_SEC, videoId, policyHash],
      connection,
    )
  }
  return { unit, jti, issuedAt: result.now }
}

/**
 * Deletes Idempotency-Keys of playback tokens an hour after their last use. These belong to keys no longer in use, since each use deletes
 * the expired ones. Runs with the job `session.sweep`.
 */
export async function pruneTokenRequests(signal?: AbortSignal): Promise<void> {
  await deleteInSlices('token_idempotency', `issued_at < service_now() - interval '1 hour'`, [], signal)
}
