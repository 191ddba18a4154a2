import type { AccountCtx, AccountId } from '../../../context.ts'
import { ServiceError, secondFactorMissing } from '../../../errors.ts'
import type { StaffRole } from '../../../permissions.ts'
import { env } from '../../../platform/config/config.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { type OperatorActor, recordOperator } from '../../audit/operator-log.ts'
import { record } from '../../audit/record.ts'
import { type GrantSupportInput, grantSupportInput, type StaffEmail, staffEmailInput } from './schema.ts'

/** Context of a request by support staff. Only `requireStaff` creates it. */
export interface StaffCtx {
  staff: { readonly __brand: 'Staff'; readonly userId: string; readonly email: string }
  requestId: string
}

/**
 * Returns the context of the signed-in user if they are support staff at this moment. Other users get the same error as for an
 * unknown URL. Errors: NOT_FOUND, FORBIDDEN (see `requireCurrentStaff`).
 */
export async function requireStaff(session: AccountCtx | undefined, requestId: string): Promise<StaffCtx> {
  if (session?.actor.kind !== 'user') throw new ServiceError('NOT_FOUND')
  const { userId, email } = session.actor
  const ctx: StaffCtx = { staff: { userId, email } as StaffCtx['staff'], requestId }
  await requireCurrentStaff(db(), ctx)
  return ctx
}

/**
 * Throws NOT_FOUND unless the role is valid now, and FORBIDDEN with `details.reason` `second-factor` while the user has none and
 * `STAFF_SECOND_FACTOR` requires one. In a transaction the role stays valid until the transaction ends: a revocation waits for it.
 */
export async function requireCurrentStaff(on: Pick<Tx, '$queryRaw'>, { staff }: StaffCtx): Promise<void> {
  const [role] = await on.$queryRaw<{ secondFactor: boolean }[]>`
    SELECT u.totp_confirmed_at IS NOT NULL AS "secondFactor" FROM staff_grant g JOIN app_user u ON u.id = g.user_id
    WHERE g.user_id = ${staff.userId} AND g.revoked_at IS NULL FOR SHARE OF g`
  if (!role) throw new ServiceError('NOT_FOUND')
  if (env().STAFF_SECOND_FACTOR === 'required' && !role.secondFactor) throw secondFactorMissing('Support staff')
}

/**
 * Grants a role to a user who has signed up; for operators only. An operator can do what support staff can. Returns whether anything
 * changed, and records a change in the installation's log and the audit log of each of the user's accounts. Errors: INVALID_REQUEST for an
 * invalid email address; NOT_FOUND when no user has it; CONFLICT when the address was never verified and the operator does not vouch for it
 * (`unverified`), and for an operator who should become support staff.
 */
export async function grantStaff(
  by: OperatorActor,
  { role, ...input }: GrantSupportInput & { role: StaffRole },
): Promise<{ granted: boolean }> {
  const { email, unverified } = grantSupportInput.parse(input)
  const userId = await userByEmail(email)
  return db().$transaction(async (tx) => {
    const { emailVerifiedAt } = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { emailVerifiedAt: true } })
    if (!emailVerifiedAt && !unverified) throw new ServiceError('CONFLICT', { message: neverVerified(email) })
    // The user's row orders concurrent grants; the partial unique index allows one open row.
    await tx.$queryRaw`SELECT 1 FROM app_user WHERE id = ${userId} FOR NO KEY UPDATE`
    const held = await tx.staffGrant.findFirst({ where: { userId, revokedAt: null }, select: { role: true } })
    if (held?.role === role) return { granted: false }
    if (held?.role === 'operator')
      throw new ServiceError('CONFLICT', { message: `${email} is an operator and already has the access of support staff.` })
    await tx.$executeRaw`UPDATE staff_grant SET revoked_at = service_clock() WHERE user_id = ${userId} AND revoked_at IS NULL`
    await tx.$executeRaw`INSERT INTO staff_grant (user_id, role, granted_at) VALUES (${userId}, ${role}, service_now())`
    const after = { email, role, emailVerified: emailVerifiedAt !== null }
    await recordOperator(tx, by, { action: 'staff.grant', subject: userId, after })
    await recordInAccounts(tx, userId, after)
    return { granted: true }
  })
}

async function recordInAccounts(tx: Tx, userId: string, after: { email: string; role: string; emailVerified: boolean }): Promise<void> {
  const memberships = await tx.membership.findMany({ where: { userId }, select: { accountId: true }, orderBy: { accountId: 'asc' } })
  for (const { accountId } of memberships) {
    const ctx = { accountId: accountId as AccountId, actor: { kind: 'operator' } } as const
    await record(tx, ctx, { action: 'support.grant', subject: userId, after })
  }
}

const neverVerified = (email: string) =>
  `The email address ${email} has not been verified. If email is configured, ask the user to reset their password at ` +
  '/forgot-password, which verifies it. Otherwise verify the address yourself and add --unverified.'

const ROLE_TITLES: Record<StaffRole, string> = { support: 'support staff', operator: 'an operator' }

/**
 * Revokes a user's role from their next request on; for operators only. Errors: NOT_FOUND when no user has the address, or the user does not
 * have this role.
 */
export async function revokeStaff(by: OperatorActor, { role, ...input }: StaffEmail & { role: StaffRole }): Promise<void> {
  const { email } = staffEmailInput.parse(input)
  const userId = await userByEmail(email)
  await db().$transaction(async (tx) => {
    const ended = await tx.$executeRaw`
      UPDATE staff_grant SET revoked_at = service_clock() WHERE user_id = ${userId} AND role = ${role} AND revoked_at IS NULL`
    if (ended === 0) throw new ServiceError('NOT_FOUND', { message: `${email} is not ${ROLE_TITLES[role]}.` })
    await recordOperator(tx, by, { action: 'staff.revoke', subject: userId, before: { email, role } })
  })
}

/** A user's period in a role. */
export interface StaffGrant {
  email: string
  role: StaffRole
  grantedAt: Date
  /** null while it lasts. */
  revokedAt: Date | null
  hasSecondFactor: boolean
}

/** Returns operators and support staff, earliest grant first; with `former`, past ones too. For operators only. */
export async function listStaff({ former }: { former: boolean }): Promise<StaffGrant[]> {
  const rows = await db().staffGrant.findMany({
    where: former ? {} : { revokedAt: null },
    orderBy: { id: 'asc' },
    select: { role: true, grantedAt: true, revokedAt: true, user: { select: { email: true, totpConfirmedAt: true } } },
  })
  return rows.map(({ user, role, grantedAt, revokedAt }) => ({
    ...{ email: user.email, role: role as StaffRole, grantedAt, revokedAt },
    hasSecondFactor: user.totpConfirmedAt !== null,
  }))
}

/** Returns the id of the user with this email address, in lower case. Errors: NOT_FOUND, with a message for the operator. */
export async function userByEmail(email: string): Promise<string> {
  const user = await db().user.findUnique({ where: { email }, select: { id: true } })
  if (!user)
    throw new ServiceError('NOT_FOUND', { message: `No user has the email address ${email}. They must sign up at /sign-up first.` })
  return user.id
}
