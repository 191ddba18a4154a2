import { type EndpointOfList, listEndpoints } from '../webhooks/list-endpoints.ts'
import { openAccount } from './open-account.ts'
import type { StaffCtx } from './staff.ts'

/** An account's webhook endpoints and how their last day went, never a secret. Errors: NOT_FOUND. */
export async function supportWebhooks(staff: StaffCtx, { accountId }: { accountId: string }): Promise<EndpointOfList[]> {
  return listEndpoints(await openAccount(staff, { accountId, page: 'webhooks' }))
}
