import { db, query } from '../../../platform/database/database.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { recordSecurity } from '../../audit/security.ts'
import { countRefusal } from '../../audit/security-counters.ts'
import type { ClientInfo } from './client-ip.ts'
import { throttledCode, throttledRecovery } from './code-throttle.ts'
import type { SecondFactor } from './schema.ts'
import { stepOf } from './totp.ts'

const SECRET = 'SELECT totp_secret FROM app_user WHERE id = $1 AND totp_secret IS NOT NULL AND totp_confirmed_at IS NOT NULL'
/** The condition is part of the UPDATE, not a prior read, so of two concurrent attempts with one code one succeeds. */
const TAKE_STEP = 'UPDATE app_user SET totp_last_step = $2 WHERE id = $1 AND coalesce(totp_last_step, 0) < $2 RETURNING 1'

/**
 * Checks a second-factor code and uses it up; returns false for an incorrect or used code and for users without a second factor. Throws
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
    const { count } = await tx.recoveryCode.deleteMany({ where: { userId, hash: sha256(code) } })
    if (count === 0) return false
    const left = await tx.recoveryCode.count({ where: { userId } })
    await recordSecurity(tx, { event: 'user.recovery-code.use', userId, from: visitor, after: { codesLeft: left } })
    return true
  })
