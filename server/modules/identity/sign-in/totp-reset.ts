import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { recordSecurity } from '../../audit/security.ts'
import { email as emailSchema } from '../accounts/schema.ts'
import { endOthers } from '../sessions/session-end.ts'

/**
 * Removes the second factor of a user who lost it and the recovery codes, and ends all their sessions; for the operator alone, who has
 * verified the user's identity. Recorded in the audit log of each of their accounts. Errors: INVALID_REQUEST for an invalid e-mail address,
 * NOT_FOUND for an unknown one, CONFLICT when they have no second factor.
 */
export async function resetTotp(input: { email: string }): Promise<void> {
  const email = emailSchema.safeParse(input.email)
  if (!email.success) throw new ServiceError('INVALID_REQUEST', { message: email.error.issues[0]?.message })
  await db().$transaction(async (tx) => {
    const user = await tx.user.findUnique({ where: { email: email.data }, select: { id: true } })
    if (!user) throw new ServiceError('NOT_FOUND', { message: `No user has the email address ${email.data}.` })
    const { id: userId } = user
    const data = { totpSecret: null, totpConfirmedAt: null, totpLastStep: null }
    const { count } = await tx.user.updateMany({ where: { id: userId, totpConfirmedAt: { not: null } }, data })
    if (count === 0) throw new ServiceError('CONFLICT', { message: `${email.data} has not enabled two-factor sign-in.` })
    await tx.recoveryCode.deleteMany({ where: { userId } })
    await endOthers(tx, userId, undefined)
    await recordSecurity(tx, { event: 'user.totp.off', userId, by: { kind: 'operator' } })
  })
}
