import { type ListedDelivery, listDeliveries } from '../webhooks/list-deliveries.ts'
import { openAccount } from './open-account.ts'
import type { SupportDeliveriesInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Returns a page of the deliveries to one of an account's endpoints, the newest first. Errors: NOT_FOUND, INVALID_REQUEST. */
export async function supportDeliveries(
  staff: StaffCtx,
  { accountId, ...input }: SupportDeliveriesInput,
): Promise<{ deliveries: ListedDelivery[]; nextCursor: string | null }> {
  return listDeliveries(await openAccount(staff, { accountId, page: 'webhooks', subject: input.endpointId }), input)
}
