import { type DeliveryDetail, getDelivery } from '../../webhooks/delivery/get-delivery.ts'
import { type ListedDelivery, listDeliveries } from '../../webhooks/delivery/list-deliveries.ts'
import { type EndpointOfList, listEndpoints } from '../../webhooks/endpoints/list-endpoints.ts'
import { openAccount } from './open-account.ts'
import type { SupportDeliveriesInput, SupportDeliveryInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** Returns an account's webhook endpoints with the results of their last day, without secrets. Errors: NOT_FOUND. */
export async function supportWebhooks(staff: StaffCtx, { accountId }: { accountId: string }): Promise<EndpointOfList[]> {
  return listEndpoints(await openAccount(staff, { accountId, page: 'webhooks' }))
}

/** Returns a page of the deliveries to one of an account's endpoints, the newest first. Errors: NOT_FOUND, INVALID_REQUEST. */
export async function supportDeliveries(
  staff: StaffCtx,
  { accountId, ...input }: SupportDeliveriesInput,
): Promise<{ deliveries: ListedDelivery[]; nextCursor: string | null }> {
  return listDeliveries(await openAccount(staff, { accountId, page: 'webhooks', subject: input.endpointId }), input)
}

/** A delivery without its signatures, which would permit replaying its body as a new delivery. */
export type SupportDelivery = Omit<DeliveryDetail, 'attempts'> & { attempts: Omit<DeliveryDetail['attempts'][number], 'signature'>[] }

/** Returns one delivery with its requests and responses. Errors: NOT_FOUND. */
export async function supportDelivery(staff: StaffCtx, { accountId, ...input }: SupportDeliveryInput): Promise<SupportDelivery> {
  const { attempts, ...delivery } = await getDelivery(
    await openAccount(staff, { accountId, page: 'webhooks', subject: input.eventId }),
    input,
  )
  return { ...delivery, attempts: attempts.map(({ signature: _, ...attempt }) => attempt) }
}
