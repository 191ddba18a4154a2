import { db, query } from '../../platform/database.ts'
import { type StaffCtx, stillStaff } from './staff.ts'

/** An account that the asking member of staff has looked at. */
export interface RecentAccount {
  accountId: string
  name: string
  tier: 'FREE' | 'PAID'
}

/** The accounts one looked at last, at most 8; those of the latest hour first, for looks are kept by the hour. */
export async function recentAccounts(staff: StaffCtx): Promise<RecentAccount[]> {
  await stillStaff(db(), staff)
  return query<RecentAccount>(
    'support-recent',
    `SELECT a.id AS "accountId", a.name, a.tier FROM support_view v JOIN account a ON a.id = v.account_id
     WHERE v.user_id = $1 GROUP BY a.id ORDER BY max(v.hour) DESC, a.name LIMIT 8`,
    [staff.staff.userId],
  )
}
