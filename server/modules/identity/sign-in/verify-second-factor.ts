import { db, query } from '../../../platform/database/database.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { recordSecurity } from '../../audit/security.ts'
import { countRefusal } from '../../audit/security-counters.ts'
import { claimedSession } from '../sessions/session.ts'
import type { ClientInfo } from './client-ip.ts'
import { knownDevice } from './known-device.ts'
import type { SecondFactor } from './schema.ts'
import { ADDRESS, bucketsOf, type Origin, type RateLimit, throwTooManyAttempts } from './throttle.ts'
import { stepOf } from './totp.ts'

/** A user who has completed only the first step of signing in. */
interface PendingSignIn {
  userId: string
  method: string
  email: string
}

const PENDING = `
  SELECT user_id, method, email FROM user_session s JOIN app_user u ON u.id = user_id
  WHERE s.id = $1 AND mfa_pending AND expires_at > service_now() AND u.suspended_at IS NULL`

/** Returns the user whose first step is complete, by a `Cookie` header, otherwise undefined. */
export async function pendingSignIn(cookieHeader: string | undefined): Promise<PendingSignIn | undefined> {
  const sessionId = await claimedSession(cookieHeader)
  if (!sessionId) return undefined
  const [row] = await query<{ user_id: string; method: string; email: string }>('session-mfa-pending', PENDING, [sessionId])
  return row && { userId: row.user_id, method: row.method, email: row.email }
}

/**
 * Performs the second step of signing in. Undefined if the first is missing or has expired, or the code is incorrect. Throws
 * TOO_MANY_ATTEMPTS.
 */
export async function verifySecondFactor(
  visitor: ClientInfo,
  cookieHeader: string | undefined,
  factor: SecondFactor,
): Promise<PendingSignIn | undefined> {
  const pending = await pendingSignIn(cookieHeader)
  if (!pending) return undefined
  return (await verifyCode(visitor, pending.userId, factor, knownDevice(cookieHeader, pending.email))) ? pending : undefined
}

const SECRET = 'SELECT totp_secret FROM app_user WHERE id = $1 AND totp_secret IS NOT NULL AND totp_confirmed_at IS NOT NULL'
/** The condition is in the UPDATE, not in an earlier read, so that only one of two concurrent attempts with one code succeeds. */
const TAKE_STEP = 'UPDATE app_user SET totp_last_step = $2 WHERE id = $1 AND coalesce(totp_last_step, 0) < $2 RETURNING 1'

/**
 * Checks a second-factor code and uses it up. Returns false for an incorrect or used code, and for users without a second factor. Throws
 * TOO_MANY_ATTEMPTS: six-digit codes are also limited per user, except from a `known` device of the user. Recovery codes cannot be guessed,
 * so they have no limit per user.
 */
export async function verifyCode(visitor: ClientInfo, userId: string, factor: SecondFactor, known?: string): Promise<boolean> {
  const taken = await checkThrottled(visitor, userId, factor, known)
  if (!taken) countRefusal('user.code.refuse', { userId }, visitor)
  return taken
}

function checkThrottled(visitor: ClientInfo, userId: string, factor: SecondFactor, known: string | undefined): Promise<boolean> {
  if (factor.kind === 'recovery') return throttledRecovery(visitor.address, () => takeRecoveryCode(visitor, userId, factor.code))
  return throttledCode(userId, { address: visitor.address, known }, async () => {
    const [row] = await query<{ totp_secret: Buffer }>('totp-secret', SECRET, [userId])
    const step = row && stepOf(factor.code, row.totp_secret, userId)
    return step !== undefined && (await query('totp-take', TAKE_STEP, [userId, step])).length > 0
  })
}

const takeRecoveryCode = (visitor: ClientInfo, userId: string, code: string): Promise<boolean> =>
  db().$transaction(async (tx) => {
    const [used] = await tx.$queryRaw<{ codesLeft: number }[]>`
      UPDATE app_user SET recovery_codes = array_remove(recovery_codes, ${sha256(code)})
      WHERE id = ${userId} AND ${sha256(code)} = ANY (recovery_codes) RETURNING cardinality(recovery_codes) AS "codesLeft"`
    if (!used) return false
    await recordSecurity(tx, { event: 'user.recovery-code.use', userId, from: visitor, after: { codesLeft: used.codesLeft } })
    return true
  })

/** Per user and address: strict, because an attacker who guesses second-factor codes already has the password. */
const CODE_PAIR: RateLimit = { burst: 5, everyMs: 30_000 }
/**
 * Per user from all addresses: about one chance in 300 a day at this rate. Recovery codes are exempt, so it does not lock the owner out.
 */
const CODE_USER: RateLimit = { burst: 20, everyMs: 60_000 }

/**
 * Checks a six-digit code under limits that all processes share. A correct code does not count. Throws TOO_MANY_ATTEMPTS with `retryAfter`,
 * at most 60 s; no queue, because a queued code would expire. A device known from full sign-ins has its own limit.
 */
export function throttledCode(userId: string, { address, known }: Origin, check: () => Promise<boolean>): Promise<boolean> {
  if (known) return withSharedLimit([[`code-known:${known}:${userId}`, CODE_PAIR]], check)
  const userLimit: [string, RateLimit] = [`codes:${userId}`, CODE_USER]
  return withSharedLimit(
    [...bucketsOf('factor', address, ADDRESS), ...bucketsOf('code', address, CODE_PAIR, `:${userId}`), userLimit],
    check,
  )
}

/** Checks a recovery code under the address's limit only, because the code is too long to guess. */
export const throttledRecovery = (address: string, check: () => Promise<boolean>): Promise<boolean> =>
  withSharedLimit(bucketsOf('factor', address, ADDRESS), check)

/*
 * A bucket is stored as the time when it is full again (GCRA). An attempt moves it later by its price, unless that exceeds the burst. One
 * statement, serialized by the row lock, so any number of processes together admit no more than one process. Not rate-limiter-flexible: its
 * fixed windows admit two bursts at a boundary, and a refusal waits for a whole window.
 */
const TAKE = `
  INSERT INTO shared_limit AS held (name, available_at) VALUES ($1, service_clock() + $2 * interval '1 millisecond')
  ON CONFLICT (name) DO UPDATE SET available_at = greatest(held.available_at, service_clock()) + $2 * interval '1 millisecond'
  WHERE held.available_at <= service_clock() + ($3 - 1) * $2 * interval '1 millisecond'
  RETURNING 1`
const WAIT = `
  SELECT ceil(extract(epoch FROM available_at - service_clock()) * 1000 - ($3 - 1) * $2)::float8 AS ms FROM shared_limit WHERE name = $1`
const REFUND = `UPDATE shared_limit SET available_at = available_at - $2 * interval '1 millisecond' WHERE name = $1`

/**
 * Runs `check` under limits that all processes share through the database. A correct one does not count. Throws TOO_MANY_ATTEMPTS with
 * `retryAfter`; there is no queue.
 */
async function withSharedLimit(limits: [string, RateLimit][], check: () => Promise<boolean>): Promise<boolean> {
  const taken: [string, RateLimit][] = []
  const refund = async () => {
    for (const [name, { everyMs }] of taken) await query('shared-limit-refund', REFUND, [name, everyMs])
  }
  for (const limit of limits) {
    const [name, { burst, everyMs }] = limit
    if ((await query('shared-limit-take', TAKE, [name, everyMs, burst])).length > 0) {
      taken.push(limit)
      continue
    }
    await refund()
    const [row] = await query<{ ms: number }>('shared-limit-wait', WAIT, [name, everyMs, burst])
    throwTooManyAttempts(Math.max(1, row?.ms ?? 1))
  }
  const right = await check()
  if (right) await refund()
  return right
}
