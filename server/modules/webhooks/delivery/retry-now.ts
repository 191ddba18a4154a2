import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { lockEndpoint, requireWebhookManagement } from '../endpoints/owned-endpoint.ts'
import type { DeliveryInput } from '../endpoints/schema.ts'
import { noSuchDelivery } from './get-delivery.ts'

/**
 * Makes the next attempt of a pending delivery due now. It counts as that attempt: after a failure the schedule continues. Errors: FORBIDDEN,
 * NOT_FOUND; CONFLICT when its endpoint is disabled, when it is being sent, or when it is not pending.
 */
export async function retryNow(ctx: AccountCtx, { endpointId, eventId }: DeliveryInput): Promise<void> {
  requireWebhookManagement(ctx)
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    const { disabledAt } = await lockEndpoint(tx, ctx, endpointId)
    if (disabledAt) throw new ServiceError('CONFLICT', { message: 'This endpoint is disabled. Enable it first.' })
    // The queue's lock keeps dispatchers from leasing the delivery meanwhile.
    await tx.$queryRaw`SELECT lock_webhook_queues(ARRAY[${endpointId}], true)`
    const [delivery] = await tx.$queryRaw<{ queued: boolean; sending: boolean }[]>`
      SELECT q.delivery_id IS NOT NULL AS queued, EXISTS (
        SELECT FROM webhook_lease l WHERE l.endpoint_id = d.endpoint_id AND d.id = ANY (l.delivery_ids)) AS sending
      FROM webhook_delivery d LEFT JOIN webhook_queue q ON q.delivery_id = d.id
      WHERE d.account_id = ${accountId} AND d.endpoint_id = ${endpointId} AND d.event_id = ${eventId}`
    if (!delivery) throw noSuchDelivery()
    if (!delivery.queued) throw new ServiceError('CONFLICT', { message: 'This delivery is not pending. Replay it to send it again.' })
    if (delivery.sending) throw new ServiceError('CONFLICT', { message: 'This delivery is being sent now.' })
    await tx.$executeRaw`
      UPDATE webhook_queue SET due_at = service_now()
      WHERE endpoint_id = ${endpointId} AND event_id = ${eventId} AND account_id = ${accountId} AND due_at > service_now()`
    await tx.$executeRaw`SELECT pg_notify('reelgate', 'webhook-due:'), pg_notify('reelgate', ${`webhook:${accountId}`})`
    await record(tx, ctx, { action: 'webhook.retry', subject: endpointId, after: { eventId } })
  })
}
