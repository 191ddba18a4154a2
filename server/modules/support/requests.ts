import { listRequests, type RequestPage } from '../analytics/list-requests.ts'
import { openAccount } from './open-account.ts'
import type { SupportRequestsInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Returns a page of an account's request log as its owner sees it. Errors: NOT_FOUND. */
export async function supportRequests(staff: StaffCtx, { accountId, ...input }: SupportRequestsInput): Promise<RequestPage> {
  return listRequests(await openAccount(staff, { accountId, page: 'requests' }), input)
}
