import { type DeliveryDetail, getDelivery } from '../webhooks/get-delivery.ts'
import { openAccount } from './open-account.ts'
import type { SupportDeliveryInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

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
