import type { AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { type GrantSupportInput, grantSupportInput, type StaffEmail, staffEmailInput } from './schema.ts'
import { userByEmail } from './user-by-email.ts'

/**
 * Grants a registered user the role of support staff; for the operator alone. Returns whether anything changed, which is then
 * recorded in the audit log of each of their accounts. Errors: INVALID_REQUEST for an invalid e-mail address, NOT_FOUND when no
 * user has it, CONFLICT when its ownership was never verified, unless the operator vouches for it (`unverified`).
 */
export async function grantSupport(input: GrantSupportInput): Promise<{ granted: boolean }> {
  const { email, unverified } = grantSupportInput.parse(input)
  const userId = await userByEmail(email)
  return db().$transaction(async (tx) => {
    const { emailVerifiedAt } = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { emailVerifiedAt: true } })
    if (!emailVerifiedAt && !unverified) throw new ServiceError('CONFLICT', { message: neverVerified(email) })
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
  '/forgot-password, which verifies it. Otherwise verify it yourself and add --unverified.'

/**
 * Revokes a user's role of support staff; for the operator alone. Their next request is refused, also from an open session. Errors:
 * NOT_FOUND when no user has the address, or the user is not support staff.
 */
export async function revokeSupport(input: StaffEmail): Promise<void> {
  const { email } = staffEmailInput.parse(input)
  const userId = await userByEmail(email)
  const ended = await db().$executeRaw`UPDATE staff_grant SET revoked_at = service_clock() WHERE user_id = ${userId} AND revoked_at IS NULL`
  if (ended === 0) throw new ServiceError('NOT_FOUND', { message: `${email} is not support staff.` })
}

/** A user's period as support staff. */
export interface StaffGrant {
  email: string
  grantedAt: Date
  /** null while it lasts. */
  revokedAt: Date | null
}

/** Returns the support staff, the earliest grant first; with `former` also ended periods. For the operator alone. */
export async function listSupport({ former }: { former: boolean }): Promise<StaffGrant[]> {
  const rows = await db().staffGrant.findMany({
    where: former ? {} : { revokedAt: null },
    orderBy: { id: 'asc' },
    select: { grantedAt: true, revokedAt: true, user: { select: { email: true } } },
  })
  return rows.map(({ user, grantedAt, revokedAt }) => ({ email: user.email, grantedAt, revokedAt }))
}
