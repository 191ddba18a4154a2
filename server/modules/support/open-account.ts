import type { AccountCtx, AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { refuseOwnAccount } from './refuse-own.ts'
import type { SupportView } from './schema.ts'
import { type StaffCtx, stillStaff } from './staff.ts'

interface Look {
  accountId: string
  page: SupportView
  /** Id of the video, call, endpoint or event; left out for the part as a whole. */
  subject?: string
}

/**
 * Opens an account to support staff for looking at one part of it, or one thing in it. That is the only way to it, and it stands in the account's
 * audit log: once for a person, thing and hour, however often they look. Errors: NOT_FOUND when there is no such account, or no such role any more; FORBIDDEN for one's own account.
 */
export async function openAccount(staff: StaffCtx, look: Look): Promise<AccountCtx> {
  await db().$transaction(async (tx) => {
    await stillStaff(tx, staff)
    if (!(await tx.account.findUnique({ where: { id: look.accountId }, select: { id: true } }))) throw new ServiceError('NOT_FOUND')
    await refuseOwnAccount(tx, staff, look.accountId)
    await note(tx, staff, look)
  })
  return asSupport(staff, look.accountId)
}

/** Writes that staff were shown something of several accounts in a list, such as an owner's e-mail, in the audit log of each. Errors: NOT_FOUND. */
export async function noteShown(staff: StaffCtx, accountIds: string[], page: SupportView): Promise<void> {
  await db().$transaction(async (tx) => {
    await stillStaff(tx, staff)
    // In one order, so that two who look at the same never wait for each other.
    for (const accountId of [...new Set(accountIds)].sort()) await note(tx, staff, { accountId, page })
  })
}

async function note(tx: Tx, staff: StaffCtx, { accountId, page, subject = '' }: Look): Promise<void> {
  const { userId } = staff.staff
  // An account that was deleted meanwhile has no log any more.
  const first = await tx.$executeRaw`
    INSERT INTO support_view (user_id, account_id, page, subject, hour)
    SELECT ${userId}, id, ${page}, ${subject}, date_trunc('hour', service_now(), 'UTC') FROM account WHERE id = ${accountId}
    ON CONFLICT DO NOTHING`
  if (first === 0) return
  await tx.$executeRaw`DELETE FROM support_view WHERE account_id = ${accountId} AND hour < service_now() - interval '90 days'`
  await record(tx, asSupport(staff, accountId), { action: 'support.view', subject: subject || accountId, after: { page } })
}

/** The context in which staff act on an account. Verbs of the rooms take it for reading; what changes something asks for more. */
export function asSupport({ staff, requestId }: StaffCtx, accountId: string): AccountCtx {
  return { accountId: accountId as AccountId, actor: { kind: 'support', userId: staff.userId, email: staff.email }, requestId }
}
