import { dayBefore } from '../analytics/range.ts'
import { type Usage, usage } from '../analytics/usage.ts'
import { openAccount } from './open-account.ts'
import type { SupportUsageInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Returns an account's traffic of the last `days` UTC days, today included, as its owner sees it. Errors: NOT_FOUND. */
export async function supportUsage(staff: StaffCtx, { accountId, days, split }: SupportUsageInput): Promise<Usage> {
  const ctx = await openAccount(staff, { accountId, page: 'overview' })
  return usage(ctx, { from: dayBefore(days - 1), to: dayBefore(0), split })
}
