import { markEmailProven } from '../account/email-proven.ts'
import { hashPassword } from '../account/password.ts'
import { throttleReset } from '../account/throttle.ts'
import type { Visitor } from '../account/visitor.ts'
import { record } from '../audit/record.ts'
import type { AccountId } from '../context.ts'
import { sha256 } from '../infra/crypto.ts'
import { db } from '../infra/db.ts'
import { noSuchReset, waysToChoose } from './password-reset-look.ts'
import { wrong } from './prove.ts'
import type { ResetPasswordInput } from './schema.ts'
import { endOthers } from './session-end.ts'
import { removeOtherWays } from './unproven.ts'

/**
 * Chooses a new password with a link, which works once. Ends every session of the person; a second factor is still asked for when they sign in.
 * A mailed link proves the address; where it never was, `otherWays` says whether a second factor and providers of before are kept.
 * Errors: NOT_FOUND for a link that was used, replaced or has expired, INVALID_REQUEST when `otherWays` is missing, TOO_MANY_ATTEMPTS.
 */
export async function resetPassword(visitor: Visitor, { token, password, otherWays }: ResetPasswordInput): Promise<void> {
  throttleReset(visitor.address)
  const passwordHash = await hashPassword(password)
  await db().$transaction(async (tx) => {
    const [reset] = await tx.$queryRaw<{ userId: string; byMail: boolean }[]>`
      DELETE FROM password_reset WHERE hash = ${sha256(token)} AND expires_at > service_now() RETURNING user_id AS "userId", by_mail AS "byMail"`
    if (!reset) throw noSuchReset()
    const { userId, byMail } = reset
    const chosen = (await waysToChoose(tx, reset)) && otherWays
    if (chosen === undefined) throw wrong('otherWays', 'Choose whether to keep the other ways to sign in.')
    if (chosen === 'remove') await removeOtherWays(tx, userId)
    if (byMail) await markEmailProven(tx, userId)
    const { email } = await tx.user.update({ where: { id: userId }, data: { passwordHash } })
    await tx.passwordReset.deleteMany({ where: { userId } })
    const ended = await endOthers(tx, userId, undefined)
    for (const { accountId, role } of await tx.membership.findMany({ where: { userId }, orderBy: { createdAt: 'asc' } })) {
      const actor = { kind: 'user', userId, email, role } as const
      const change = {
        action: 'user.password.reset',
        subject: userId,
        after: { sessionsEnded: ended, ...(chosen && { otherWays: chosen }) },
      } as const
      await record(tx, { accountId: accountId as AccountId, actor }, change)
    }
  })
}
