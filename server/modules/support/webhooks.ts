import { type EndpointOfList, listEndpoints } from '../webhooks/list-endpoints.ts'
import { openAccount } from './open-account.ts'
import type { StaffCtx } from './staff.ts'

/** Returns an account's webhook endpoints with the results of their last day, without secrets. Errors: NOT_FOUND. */
export async function supportWebhooks(staff: StaffCtx, { accountId }: { accountId: string }): Promise<EndpointOfList[]> {
  return listEndpoints(await openAccount(staff, { accountId, page: 'webhooks' }))
}
