import type { AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { type GrantSupportInput, grantSupportInput } from './schema.ts'
import { userByEmail } from './user-by-email.ts'

/**
 * Grants a registered user the role of support staff; for the operator alone. Returns whether anything changed, which is then
 * recorded in the audit log of each of their accounts. Errors: INVALID_REQUEST for an invalid e-mail address, NOT_FOUND when no
 * user has it, CONFLICT when its ownership was never verified, unless the operator vouches for it (`unproven`).
 */
export async function grantSupport(input: GrantSupportInput): Promise<{ granted: boolean }> {
  const { email, unproven } = grantSupportInput.parse(input)
  const userId = await userByEmail(email)
  return db().$transaction(async (tx) => {
    const { emailVerifiedAt } = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { emailVerifiedAt: true } })
    if (!emailVerifiedAt && !unproven) throw new ServiceError('CONFLICT', { message: neverVerified(email) })
    // The partial unique index decides: of two concurrent grants one inserts a row.
    const inserted = await tx.$executeRaw`
      INSERT INTO staff_grant (user_id, granted_at) VALUES (${userId}, service_now())
      ON CONFLICT (user_id) WHERE revoked_at IS NULL DO NOTHING`
    if (inserted === 0) return { granted: false }
    const entry = { action: 'support.grant', subject: userId, after: { email, emailVerified: emailVerifiedAt !== null } } as const
    for (const { accountId } of await tx.membership.findMany({
      where: { userId },
      select: { accountId: true },
      orderBy: { accountId: 'asc' },
    }))
      await record(tx, { accountId: accountId as AccountId, actor: { kind: 'operator' } }, entry)
    return { granted: true }
  })
}

const neverVerified = (email: string) =>
  `The email address ${email} has not been verified. If email is configured, ask the user to reset their password at ` +
  '/forgot-password, which verifies it. Otherwise verify it yourself and add --unproven.'
