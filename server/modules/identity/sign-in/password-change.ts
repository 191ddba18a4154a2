import { type AccountCtx, requireUser } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { recordSecurity } from '../../audit/security.ts'
import { reauthenticate } from '../sessions/reauthenticate.ts'
import { endOthers } from '../sessions/sessions.ts'
import type { ClientInfo } from './client-ip.ts'
import { refuseCommonPassword } from './common-password.ts'
import { hashPassword } from './password-hash.ts'
import type { ChangePasswordInput } from './schema.ts'

/**
 * Sets a new or first password for the signed-in user, ends their other sessions and invalidates open password reset links. Replaces the
 * current session's ID, for the cookie that the caller must set. Errors: as `reauthenticate`.
 */
export async function changePassword(
  ctx: AccountCtx,
  visitor: ClientInfo,
  { current, password }: ChangePasswordInput,
): Promise<{ sessionId: string }> {
  const { userId, email, sessionId } = requireUser(ctx)
  await reauthenticate(ctx, visitor, current, 'current')
  await refuseCommonPassword(password, email)
  const passwordHash = await hashPassword(password)
  const renewed = newId('ses')
  return db().$transaction(async (tx) => {
    await tx.user.update({ where: { id: userId }, data: { passwordHash } })
    await tx.emailLink.deleteMany({ where: { purpose: 'password-reset', email } })
    const ended = await endOthers(tx, userId, sessionId)
    await recordSecurity(tx, { event: 'user.password.change', userId, from: visitor, after: { otherSessionsEnded: ended } })
    await tx.$executeRaw`UPDATE user_session SET id = ${renewed} WHERE id = ${sessionId ?? ''}`
    return { sessionId: renewed }
  })
}
