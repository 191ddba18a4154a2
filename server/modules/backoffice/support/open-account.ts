import type { AccountCtx, AccountId } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { refuseOwnAccount } from './refuse-own.ts'
import type { SupportView } from './schema.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

interface View {
  accountId: string
  page: SupportView
  /** Id of the video, request, endpoint or event; omitted for the page as a whole. */
  subject?: string
}

/**
 * Opens a part of an account, or an item in it, for support staff to view. All access goes through this function, which records it in the
 * account's audit log once per staff member, item and hour. Errors: NOT_FOUND; FORBIDDEN for one's own account.
 */
export async function openAccount(staff: StaffCtx, view: View): Promise<AccountCtx> {
  await db().$transaction(async (tx) => {
    await requireCurrentStaff(tx, staff)
    if (!(await tx.account.findFirst({ where: { id: view.accountId, deletedAt: null }, select: { id: true } })))
      throw new ServiceError('NOT_FOUND', { message: 'No such account exists.' })
    await refuseOwnAccount(tx, staff, view.accountId)
    await note(tx, staff, view)
  })
  return supportContext(staff, view.accountId)
}

/** Records in the audit log of each account that a list showed staff its data, such as an owner's email address. Errors: NOT_FOUND. */
export async function recordViews(staff: StaffCtx, accountIds: string[], page: SupportView): Promise<void> {
  await db().$transaction(async (tx) => {
    await requireCurrentStaff(tx, staff)
    // Writes in id order to prevent deadlocks between concurrent views.
    for (const accountId of [...new Set(accountIds)].sort()) await note(tx, staff, { accountId, page })
  })
}

async function note(tx: Tx, staff: StaffCtx, { accountId, page, subject = '' }: View): Promise<void> {
  const { userId } = staff.staff
  // An account that was deleted meanwhile has no log.
  const first = await tx.$executeRaw`
    INSERT INTO support_view (user_id, account_id, page, subject, hour)
    SELECT ${userId}, id, ${page}, ${subject}, date_trunc('hour', service_now(), 'UTC') FROM account WHERE id = ${accountId}
    ON CONFLICT DO NOTHING`
  if (first === 0) return
  await tx.$executeRaw`DELETE FROM support_view WHERE account_id = ${accountId} AND hour < service_now() - interval '90 days'`
  await record(tx, supportContext(staff, accountId), { action: 'support.view', subject: subject || accountId, after: { page } })
}

/** Returns the context in which staff act on an account. With it, use cases of other modules read; changes require more. */
export function supportContext({ staff, requestId }: StaffCtx, accountId: string): AccountCtx {
  return { accountId: accountId as AccountId, actor: { kind: 'support', userId: staff.userId, email: staff.email }, requestId }
}
