import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { endSessionsOf, restorePerson, suspendPerson } from '../../identity/sessions/suspend-user.ts'
import { requireAccount } from './require-account.ts'
import type { PersonOfAccountInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

const ACTIONS = { suspend: suspendPerson, restore: restorePerson, 'end-sessions': endSessionsOf } as const

/**
 * Suspends or restores a member of an account, or ends their sessions, for a stated reason. Errors: NOT_FOUND for no such member;
 * FORBIDDEN for users who share an account with the member of staff and for support staff, who are subject to the operator's
 * command; CONFLICT when the state is already so.
 */
export async function changePerson(staff: StaffCtx, { accountId, userId, what, reason }: PersonOfAccountInput): Promise<void> {
  const { actor } = await requireAccount(staff, accountId)
  const member = await db().membership.count({ where: { accountId, userId } })
  if (member === 0) throw new ServiceError('NOT_FOUND', { message: 'This account has no such member.' })
  const [bars] = await db().$queryRaw<[{ shared: boolean; staff: boolean }]>`
    SELECT EXISTS (SELECT 1 FROM membership a JOIN membership b USING (account_id)
        WHERE a.user_id = ${userId} AND b.user_id = ${staff.staff.userId}) AS shared,
      EXISTS (SELECT 1 FROM staff_grant WHERE user_id = ${userId} AND revoked_at IS NULL) AS staff`
  if (bars.shared)
    throw new ServiceError('FORBIDDEN', { message: 'You share an account with this user. Another member of staff must do this.' })
  if (bars.staff) throw new ServiceError('FORBIDDEN', { message: 'This user is support staff. Only the operator command can do this.' })
  await ACTIONS[what]({ actor }, { userId, reason })
}
