import { type Usage, usage } from '../../analytics/usage.ts'
import { openAccount } from './open-account.ts'
import type { SupportUsageInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Returns an account's traffic over a range of UTC days, as its owner sees it. Errors: NOT_FOUND. */
export async function supportUsage(staff: StaffCtx, { accountId, ...asked }: SupportUsageInput): Promise<Usage> {
  const ctx = await openAccount(staff, { accountId, page: 'overview' })
  return usage(ctx, asked)
}
