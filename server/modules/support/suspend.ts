import { restoreAccount } from '../accounts/restore-account.ts'
import { suspendAccount } from '../accounts/suspend-account.ts'
import { requireAccount } from './require-account.ts'
import type { SuspendInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Suspends or restores an account for a stated reason. Errors: NOT_FOUND; FORBIDDEN for one's own account; CONFLICT when the state
 * is already so.
 */
export async function setSuspended(staff: StaffCtx, { accountId, suspended, reason }: SuspendInput): Promise<void> {
  const ctx = await requireAccount(staff, accountId)
  await (suspended ? suspendAccount : restoreAccount)(ctx, { reason })
}
