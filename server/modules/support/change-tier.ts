import { setTier } from '../billing/set-tier.ts'
import { requireAccount } from './require-account.ts'
import type { ChangeTierInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Sets an account's tier for a stated reason, effective with the next token. Errors: NOT_FOUND, CONFLICT when it is not the one
 * `expected`.
 */
export async function changeTier(staff: StaffCtx, { accountId, tier, reason, expected }: ChangeTierInput): Promise<void> {
  await setTier(await requireAccount(staff, accountId), { tier, reason, expected })
}
