import { hashPassword } from '../account/password.ts'
import { throttleReset } from '../account/throttle.ts'
import type { Visitor } from '../account/visitor.ts'
import { record } from '../audit/record.ts'
import type { AccountId } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { sha256 } from '../infra/crypto.ts'
import { db } from '../infra/db.ts'
import type { ResetPasswordInput } from './schema.ts'
import { endOthers } from './session-end.ts'

/**
 * Chooses a new password with a mailed link, which works once. Ends every session of the person; a second factor is still asked for
 * when they sign in. Errors: NOT_FOUND for a link that was used, replaced or has expired, TOO_MANY_ATTEMPTS.
 */
export async function resetPassword(visitor: Visitor, { token, password }: ResetPasswordInput): Promise<void> {
  throttleReset(visitor.address)
  const passwordHash = await hashPassword(password)
  await db().$transaction(async (tx) => {
    const [reset] = await tx.$queryRaw<{ user_id: string }[]>`
      DELETE FROM password_reset USING app_user u WHERE hash = ${sha256(token)} AND expires_at > service_now() AND u.id = user_id
        AND u.suspended_at IS NULL RETURNING user_id`
    if (!reset) throw new ServiceError('NOT_FOUND', { message: 'This link was used already, or is too old. Ask for another.' })
    const userId = reset.user_id
    const { email } = await tx.user.update({ where: { id: userId }, data: { passwordHash } })
    await tx.passwordReset.deleteMany({ where: { userId } })
    const ended = await endOthers(tx, userId, undefined)
    for (const { accountId, role } of await tx.membership.findMany({ where: { userId }, orderBy: { createdAt: 'asc' } })) {
      const actor = { kind: 'user', userId, email, role } as const
      const change = { action: 'user.password.reset', subject: userId, after: { sessionsEnded: ended } } as const
      await record(tx, { accountId: accountId as AccountId, actor }, change)
    }
  })
}
