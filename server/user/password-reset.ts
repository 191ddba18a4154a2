import { refuseCommonPassword } from '../account/common-password.ts'
import { hashPassword } from '../account/password.ts'
import { throttleReset } from '../account/throttle.ts'
import type { Visitor } from '../account/visitor.ts'
import { recordSecurity } from '../audit/security.ts'
import { ServiceError } from '../errors.ts'
import { sha256 } from '../infra/crypto.ts'
import { db, query } from '../infra/db.ts'
import type { ResetPasswordInput } from './schema.ts'
import { endOthers } from './session-end.ts'

/**
 * Chooses a new password with a mailed link, which works once. Ends every session of the person; a second factor is still asked for
 * when they sign in. Errors: NOT_FOUND for a link that was used, replaced or has expired, TOO_MANY_ATTEMPTS.
 */
export async function resetPassword(visitor: Visitor, { token, password }: ResetPasswordInput): Promise<void> {
  throttleReset(visitor.address)
  // Before the password is hashed, which is what costs.
  const [open] = await query<{ email: string }>('password-reset-open', OPEN, [sha256(token)])
  if (!open) throw gone()
  await refuseCommonPassword(password, open.email)
  const passwordHash = await hashPassword(password)
  await db().$transaction(async (tx) => {
    const [reset] = await tx.$queryRaw<{ user_id: string }[]>`
      DELETE FROM password_reset WHERE hash = ${sha256(token)} AND expires_at > service_now() RETURNING user_id`
    if (!reset) throw gone()
    const userId = reset.user_id
    await tx.user.update({ where: { id: userId }, data: { passwordHash } })
    await tx.passwordReset.deleteMany({ where: { userId } })
    const ended = await endOthers(tx, userId, undefined)
    await recordSecurity(tx, { event: 'user.password.reset', userId, from: visitor, after: { sessionsEnded: ended } })
  })
}

const OPEN = `
  SELECT email FROM password_reset JOIN app_user ON app_user.id = user_id WHERE hash = $1 AND password_reset.expires_at > service_now()`

const gone = () => new ServiceError('NOT_FOUND', { message: 'This link was used already, or is too old. Ask for another.' })
