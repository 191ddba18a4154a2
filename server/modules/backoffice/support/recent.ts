import { db, query } from '../../../platform/database/database.ts'
import { alphabetical } from '../../../platform/database/text-sql.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** An account that the member of staff has viewed. */
export interface RecentAccount {
  accountId: string
  name: string
  tier: 'FREE' | 'PAID'
}

/** Returns the accounts viewed last, at most 8, the latest hour first, since views are stored by the hour. */
export async function recentAccounts(staff: StaffCtx): Promise<RecentAccount[]> {
  await requireCurrentStaff(db(), staff)
  return query<RecentAccount>(
    'support-recent',
    `SELECT a.id AS "accountId", a.name, a.tier FROM support_view v JOIN account a ON a.id = v.account_id
     WHERE v.user_id = $1 AND a.deleted_at IS NULL GROUP BY a.id ORDER BY max(v.hour) DESC, ${alphabetical('a.name')}, a.id LIMIT 8`,
    [staff.staff.userId],
  )
}
