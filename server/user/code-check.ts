import { throttledCode, throttledRecovery } from '../account/throttle.ts'
import type { Visitor } from '../account/visitor.ts'
import { sha256 } from '../infra/crypto.ts'
import { query } from '../infra/db.ts'
import type { SecondFactor } from './schema.ts'
import { stepOf } from './totp.ts'

const SECRET = 'SELECT totp_secret FROM app_user WHERE id = $1 AND totp_since IS NOT NULL'
/** The condition decides, not the look before: of two tries with one code at once, one is taken. */
const TAKE_STEP = 'UPDATE app_user SET totp_last_step = $2 WHERE id = $1 AND coalesce(totp_last_step, 0) < $2 RETURNING 1'
const TAKE_RECOVERY = 'DELETE FROM recovery_code WHERE user_id = $1 AND hash = $2 RETURNING 1'

/**
 * Whether a second-factor code is this person's and was not used before; it is used up by this. False for people without a second
 * factor. Throws TOO_MANY_ATTEMPTS: codes have six digits, so they are limited for the person as well, but for a `known` device of theirs; recovery codes cannot
 * be guessed.
 */
export async function takeCode(visitor: Visitor, userId: string, factor: SecondFactor, known?: string): Promise<boolean> {
  if (factor.kind === 'recovery')
    return throttledRecovery(visitor.address, async () => {
      const taken = await query('recovery-take', TAKE_RECOVERY, [userId, sha256(factor.code)])
      return taken.length > 0
    })
  return throttledCode(userId, { address: visitor.address, known }, async () => {
    const [row] = await query<{ totp_secret: Buffer }>('totp-secret', SECRET, [userId])
    const step = row && stepOf(factor.code, row.totp_secret, userId)
    return step !== undefined && (await query('totp-take', TAKE_STEP, [userId, step])).length > 0
  })
}
