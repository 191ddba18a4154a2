import { db } from '../../../platform/database/database.ts'
import { disableKeyIn } from '../../access/keys/disable-key.ts'
import { requireAccount } from './require-account.ts'
import type { DisableKeyInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Disables a key of an account for a stated reason, such as a leaked value; its owner can enable it again. Errors: NOT_FOUND without such a
 * key or role; FORBIDDEN for one's own account; CONFLICT when the state of the key does not allow it.
 */
export async function disableKeyAsStaff(staff: StaffCtx, { accountId, keyId, reason }: DisableKeyInput): Promise<void> {
  await db().$transaction(async (tx) => disableKeyIn(tx, await requireAccount(staff, accountId, tx), { keyId, reason }))
}
