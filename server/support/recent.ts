import { db, query } from '../infra/db.ts'
import { type StaffCtx, stillStaff } from './staff.ts'

/** An account that the asking member of staff has looked at. */
export interface RecentAccount {
  accountId: string
  name: string
  tier: 'FREE' | 'PAID'
  /** The beginning of the hour of the last look. */
  at: Date
}

/** The accounts one looked at last, latest first; at most 8. */
export async function recentAccounts(staff: StaffCtx): Promise<RecentAccount[]> {
  await stillStaff(db(), staff)
  return query<RecentAccount>(
    'support-recent',
    `SELECT a.id AS "accountId", a.name, a.tier, max(v.hour) AS at FROM support_view v JOIN account a ON a.id = v.account_id
     WHERE v.user_id = $1 GROUP BY a.id ORDER BY at DESC, a.name LIMIT 8`,
    [staff.staff.userId],
  )
}
