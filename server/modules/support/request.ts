import { type Explanation, explainRequest } from '../analytics/explain.ts'
import { openAccount } from './open-account.ts'
import type { SupportRequestInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Why a call of an account was answered as it was. Errors: NOT_FOUND, also for a call that the log does not have. */
export async function supportRequest(staff: StaffCtx, { accountId, requestId }: SupportRequestInput): Promise<Explanation> {
  return explainRequest(await openAccount(staff, { accountId, page: 'requests', subject: requestId }), { requestId })
}
