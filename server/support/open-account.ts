import { record } from '../audit/record.ts'
import type { AccountCtx, AccountId } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import type { SupportPage } from './schema.ts'
import { type StaffCtx, stillStaff } from './staff.ts'

/**
 * Opens an account to support staff for looking at one part of it. That is the only way to it, and it stands in the account's audit
 * log: once for a person, part and hour, however often they look. Errors: NOT_FOUND when there is no such account, or no such role any more.
 */
export async function openAccount(staff: StaffCtx, { accountId, page }: { accountId: string; page: SupportPage }): Promise<AccountCtx> {
  const ctx = asSupport(staff, accountId)
  await db().$transaction(async (tx) => {
    await stillStaff(tx, staff)
    if (!(await tx.account.findUnique({ where: { id: accountId }, select: { id: true } }))) throw new ServiceError('NOT_FOUND')
    const { userId } = staff.staff
    const first = await tx.$executeRaw`
      INSERT INTO support_view (user_id, account_id, page, hour)
      VALUES (${userId}, ${accountId}, ${page}, date_trunc('hour', service_now(), 'UTC')) ON CONFLICT DO NOTHING`
    if (first === 0) return
    await tx.$executeRaw`DELETE FROM support_view WHERE account_id = ${accountId} AND hour < service_now() - interval '90 days'`
    await record(tx, ctx, { action: 'support.view', subject: accountId, after: { page } })
  })
  return ctx
}

/** The context in which staff act on an account. Verbs of the rooms take it for reading; what changes something asks for more. */
export function asSupport({ staff, requestId }: StaffCtx, accountId: string): AccountCtx {
  return { accountId: accountId as AccountId, actor: { kind: 'support', userId: staff.userId, email: staff.email }, requestId }
}
