import { type Explanation, explainRequest } from '../analytics/explain.ts'
import { openAccount } from './open-account.ts'
import type { SupportRequestInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Explains the response to a request of an account. Errors: NOT_FOUND, also for a request that is not in the log. */
export async function supportRequest(staff: StaffCtx, { accountId, requestId }: SupportRequestInput): Promise<Explanation> {
  return explainRequest(await openAccount(staff, { accountId, page: 'requests', subject: requestId }), { requestId })
}
