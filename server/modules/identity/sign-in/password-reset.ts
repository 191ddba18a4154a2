import { db, query } from '../../../platform/database/database.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { recordSecurity } from '../../audit/security.ts'
import { invalidField } from '../sessions/reauthenticate.ts'
import { endOthers } from '../sessions/session-end.ts'
import type { ClientInfo } from './client-ip.ts'
import { refuseCommonPassword } from './common-password.ts'
import { markEmailVerified } from './email-verified.ts'
import { methodsToChoose, noSuchReset } from './get-password-reset.ts'
import { removeOtherMethods } from './other-methods.ts'
import { hashPassword } from './password-hash.ts'
import type { ResetPasswordInput } from './schema.ts'
import { throttleReset } from './throttle.ts'

/**
 * Sets a new password with a single-use link and ends every session of the user; signing in still requires the second factor. A mailed link
 * verifies the address; if it was not verified before, `otherMethods` keeps or removes earlier second factors and providers. Errors:
 * NOT_FOUND (used, replaced or expired), INVALID_REQUEST without `otherMethods`, TOO_MANY_ATTEMPTS.
 */
export async function resetPassword(visitor: ClientInfo, { token, password, otherMethods }: ResetPasswordInput): Promise<void> {
  throttleReset(visitor.address)
  // Before the password is hashed, because hashing is expensive.
  const [open] = await query<{ email: string }>('password-reset-open', OPEN, [sha256(token)])
  if (!open) throw noSuchReset()
  await refuseCommonPassword(password, open.email)
  const passwordHash = await hashPassword(password)
  await db().$transaction(async (tx) => {
    const [reset] = await tx.$queryRaw<{ userId: string; byMail: boolean }[]>`
      DELETE FROM password_reset r USING app_user u
      WHERE r.hash = ${sha256(token)} AND r.expires_at > service_now() AND u.id = r.user_id AND u.suspended_at IS NULL
      RETURNING r.user_id AS "userId", r.by_mail AS "byMail"`
    if (!reset) throw noSuchReset()
    const { userId, byMail } = reset
    const chosen = (await methodsToChoose(tx, reset)) && otherMethods
    if (chosen === undefined) throw invalidField('otherMethods', 'Choose whether to keep the other sign-in methods.')
    if (chosen === 'remove') await removeOtherMethods(tx, userId)
    if (byMail) await markEmailVerified(tx, userId)
    await tx.user.update({ where: { id: userId }, data: { passwordHash } })
    await tx.passwordReset.deleteMany({ where: { userId } })
    const ended = await endOthers(tx, userId, undefined)
    const after = { sessionsEnded: ended, ...(chosen && { otherMethods: chosen }) }
    await recordSecurity(tx, { event: 'user.password.reset', userId, from: visitor, after })
  })
}

const OPEN = `
  SELECT email FROM password_reset JOIN app_user ON app_user.id = user_id WHERE hash = $1 AND password_reset.expires_at > service_now()
    AND app_user.suspended_at IS NULL`
