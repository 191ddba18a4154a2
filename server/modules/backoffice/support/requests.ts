import { type Explanation, explainRequest } from '../../analytics/requests/explain.ts'
import { listRequests, type RequestPage } from '../../analytics/requests/list-requests.ts'
import { openAccount } from './open-account.ts'
import type { SupportRequestInput, SupportRequestsInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Returns a page of an account's request log as its owner sees it. Errors: NOT_FOUND. */
export async function supportRequests(staff: StaffCtx, { accountId, ...input }: SupportRequestsInput): Promise<RequestPage> {
  return listRequests(await openAccount(staff, { accountId, page: 'requests' }), input)
}

/** Explains the response to a request of an account. Errors: NOT_FOUND, also for a request that is not in the log. */
export async function supportRequest(staff: StaffCtx, { accountId, requestId }: SupportRequestInput): Promise<Explanation> {
  return explainRequest(await openAccount(staff, { accountId, page: 'requests', subject: requestId }), { requestId })
}
