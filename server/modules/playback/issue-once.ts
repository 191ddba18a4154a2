import type { AccountCtx } from '../../context.ts'
import { sha256 } from '../../platform/crypto.ts'
import { query, type Runner, transaction } from '../../platform/database.ts'
import { processWide } from '../../platform/process-wide.ts'
import { TOKEN_LIFETIME_SEC } from '../api-keys/validity.ts'
import type { Unit } from '../quotas/batched-grant.ts'
import { grant, remainingAfter } from '../quotas/grant.ts'
import { remainingQuota } from '../quotas/remaining.ts'
import { newTokenId } from './token-id.ts'

/** A token's identity and the unit of quota behind it. */
export interface Issue {
  unit: Unit
  jti: string
  /** Unix seconds. */
  iat: number
  /** Set for one that was issued before, for which nothing was taken. */
  replayed?: true
}

/**
 * Issues under an Idempotency-Key: calls with the same API key, video and value within the token's lifetime share one token and
 * one unit of quota, also when they arrive together at different processes. Undefined when the key no longer works.
 */
export async function issueOnce(ctx: AccountCtx, keyId: string, videoId: string, idempotencyKey: string): Promise<Issue | undefined> {
  const requestHash = sha256(`${keyId}\0${videoId}\0${idempotencyKey}`)
  return inTurn(keyId, () =>
    transaction(async (connection) => {
      // The second of two simultaneous calls at different processes waits here and then finds the first one's row.
      await connection.query('SELECT pg_advisory_xact_lock($1::bigint)', [requestHash.readBigInt64BE().toString()])
      const earlier = await findEarlier(connection, keyId, requestHash)
      if (earlier) return replay(connection, ctx, keyId, earlier)
      return issueAndRemember(connection, ctx, keyId, requestHash)
    }),
  )
}

const turns = () => processWide('idempotent-turns', () => new Map<string, Promise<unknown>>())

/**
 * One after another for each API key: its calls would wait for the lock on its counter anyway, but each with a connection of the
 * pool in hand, and one key's flood would leave none for anybody else.
 */
async function inTurn<Result>(keyId: string, work: () => Promise<Result>): Promise<Result> {
  const mine = (turns().get(keyId) ?? Promise.resolve()).then(work, work)
  turns().set(keyId, mine)
  try {
    return await mine
  } finally {
    if (turns().get(keyId) === mine) turns().delete(keyId)
  }
}

interface Earlier {
  jti: string
  iat: number
  now: number
}

async function findEarlier(connection: Runner, keyId: string, requestHash: Buffer): Promise<Earlier | undefined> {
  const [row] = await query<Earlier>(
    'idempotent-token',
    `SELECT jti, extract(epoch FROM issued_at)::float8 AS iat, floor(extract(epoch FROM service_now()))::float8 AS now FROM token_idempotency
     WHERE key_id = $1 AND request_hash = $2 AND issued_at > service_now() - make_interval(secs => $3)`,
    [keyId, requestHash, TOKEN_LIFETIME_SEC],
    connection,
  )
  return row
}

async function replay(connection: Runner, ctx: AccountCtx, keyId: string, { jti, iat, now }: Earlier): Promise<Issue> {
  // On the connection held already: callers that each wait for a second one would wait for each other.
  const left = await remainingQuota(keyId, ctx.accountId, connection)
  return { jti, iat, replayed: true, unit: { ...left, granted: true, now } }
}

async function issueAndRemember(connection: Runner, ctx: AccountCtx, keyId: string, requestHash: Buffer): Promise<Issue | undefined> {
  const result = await grant(keyId, ctx.accountId, 1, connection)
  if (!result) return undefined
  const { limit, held, resetAt, resetIn, now } = result
  const unit = { limit, held, resetAt, resetIn, now, granted: result.granted === 1, remaining: remainingAfter(result) }
  const jti = newTokenId(keyId)
  if (unit.granted) {
    await query(
      'remember-idempotent-token',
      `WITH stale AS (DELETE FROM token_idempotency WHERE key_id = $1 AND request_hash <> $2 AND issued_at < service_now() - make_interval(secs => $5))
       INSERT INTO token_idempotency (key_id, request_hash, jti, issued_at) VALUES ($1, $2, $3, to_timestamp($4))
       ON CONFLICT (key_id, request_hash) DO UPDATE SET jti = EXCLUDED.jti, issued_at = EXCLUDED.issued_at`,
      [keyId, requestHash, jti, result.now, TOKEN_LIFETIME_SEC],
      connection,
    )
  }
  return { unit, jti, iat: result.now }
}
