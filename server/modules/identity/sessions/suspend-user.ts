import { type AccountCtx, type AccountId, requireStaff } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { enqueueMail } from '../accounts/mail-owners.ts'

export interface StaffUserInput {
  userId: string
  reason: string
}
type By = Pick<AccountCtx, 'actor'>

/**
 * Suspends a user with a reason, for the operator and support staff. All their sessions end, and every sign-in method is refused; their
 * accounts and API keys continue to work. Recorded in the audit log of each of their accounts. Errors: FORBIDDEN, NOT_FOUND, CONFLICT.
 */
export async function suspendPerson(by: By, { userId, reason }: StaffUserInput): Promise<void> {
  requireStaff(by)
  await db().$transaction(async (tx) => {
    const { email, since } = await lockUser(tx, userId)
    if (since) throw new ServiceError('CONFLICT', { message: `${email} is already suspended.` })
    // In the same transaction, a trigger deletes their sessions and open password reset links.
    await tx.$executeRaw`UPDATE app_user SET suspended_at = service_clock(), suspension_reason = ${reason} WHERE id = ${userId}`
    await recordFor(tx, by, userId, { action: 'support.person.suspend', subject: userId, after: { email, reason } })
    const text = `Your login ${email} was suspended. We signed you out of all devices, and you cannot sign in.\n\nReason: ${reason}`
    await enqueueMail(tx, email, { subject: 'Your login was suspended', text })
  })
}

/** Lets a suspended user sign in again, with a reason. Errors: FORBIDDEN, NOT_FOUND, CONFLICT if they are not suspended. */
export async function restorePerson(by: By, { userId, reason }: StaffUserInput): Promise<void> {
  requireStaff(by)
  await db().$transaction(async (tx) => {
    const { email, since, reason: suspensionReason } = await lockUser(tx, userId)
    if (!since) throw new ServiceError('CONFLICT', { message: `${email} is not suspended.` })
    await tx.$executeRaw`UPDATE app_user SET suspended_at = NULL, suspension_reason = NULL WHERE id = ${userId}`
    const before = { email, since: since.toISOString(), reason: suspensionReason }
    await recordFor(tx, by, userId, { action: 'support.person.restore', subject: userId, before, after: { reason } })
    await enqueueMail(tx, email, { subject: 'Your login was restored', text: `You can sign in as ${email} again.\n\nReason: ${reason}` })
  })
}

/** Ends all sessions of a user, with a reason. They may sign in again. Returns how many ended. Errors: FORBIDDEN, NOT_FOUND. */
export async function endSessionsOf(by: By, { userId, reason }: StaffUserInput): Promise<{ ended: number }> {
  requireStaff(by)
  return db().$transaction(async (tx) => {
    const { email } = await lockUser(tx, userId)
    const { count: ended } = await tx.userSession.deleteMany({ where: { userId } })
    await recordFor(tx, by, userId, { action: 'support.person.sessions', subject: userId, after: { email, ended, reason } })
    const text = `We signed you out of all devices. Sign in again to continue.\n\nReason: ${reason}`
    await enqueueMail(tx, email, { subject: 'You were signed out of all devices', text })
    return { ended }
  })
}

async function lockUser(tx: Tx, userId: string): Promise<{ email: string; since: Date | null; reason: string | null }> {
  const [row] = await tx.$queryRaw<{ email: string; since: Date | null; reason: string | null }[]>`
    SELECT email, suspended_at AS since, suspension_reason AS reason FROM app_user WHERE id = ${userId} FOR NO KEY UPDATE`
  if (!row) throw new ServiceError('NOT_FOUND', { message: 'No such user exists.' })
  return row
}

/** Records it in the audit log of each of the user's accounts, so that its other members see the reason. */
async function recordFor(tx: Tx, { actor }: By, userId: string, change: Parameters<typeof record>[2]): Promise<void> {
  const accounts = await tx.membership.findMany({ where: { userId }, select: { accountId: true }, orderBy: { accountId: 'asc' } })
  for (const { accountId } of accounts) await record(tx, { accountId: accountId as AccountId, actor }, change)
}
