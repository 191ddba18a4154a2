import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { EventType } from '../../../events.ts'
import { db } from '../../../platform/database/database.ts'
import { deliveriesOf, type ListedDelivery } from '../delivery/list-deliveries.ts'

export interface EventDetail {
  eventId: string
  eventType: EventType
  createdAt: Date
  sample: boolean
  payload: string
  deliveries: (ListedDelivery & { url: string })[]
}

/** Returns one event with its payload and its deliveries. Errors: NOT_FOUND. */
export async function getEvent(ctx: AccountCtx, { eventId }: { eventId: string }): Promise<EventDetail> {
  const row = await db().webhookEvent.findFirst({
    where: { id: eventId, accountId: ctx.accountId },
    select: {
      id: true,
      type: true,
      createdAt: true,
      sample: true,
      payload: true,
      deliveries: { select: { endpointId: true, endpoint: { select: { url: true } } } },
    },
  })
  if (!row) throw new ServiceError('NOT_FOUND', { message: 'No such event exists in your account.' })
  const { id, type, createdAt, sample, payload, deliveries } = row
  const urls = new Map(deliveries.map(({ endpointId, endpoint }) => [endpointId, endpoint.url]))
  const sent = (await deliveriesOf(ctx, eventId)).map((one) => ({ ...one, url: urls.get(one.endpointId) ?? '' }))
  return { eventId: id, eventType: type as EventType, createdAt, sample, payload, deliveries: sent }
}
