import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { requireRecordSpace } from '../../identity/accounts/records.ts'
import { lockEndpoint, requireWebhookManagement } from '../endpoints/owned-endpoint.ts'
import type { DeliveryInput } from '../endpoints/schema.ts'
import { noSuchDelivery } from './get-delivery.ts'

/**
 * Queues an event for an endpoint again, with the same event id and the whole schedule of attempts; also an event the endpoint never received.
 * Errors: FORBIDDEN, NOT_FOUND, CONFLICT when the endpoint is disabled or the delivery is already pending, TOO_MANY_ATTEMPTS beyond a limit of
 * the account.
 */
export async function replayDelivery(ctx: AccountCtx, { endpointId, eventId }: DeliveryInput): Promise<void> {
  requireWebhookManagement(ctx)
  await db().$transaction(async (tx) => {
    const { disabledAt } = await lockEndpoint(tx, ctx, endpointId)
    if (disabledAt) throw new ServiceError('CONFLICT', { message: 'This endpoint is disabled. Enable it first.' })
    await requireRecordSpace(tx, ctx.accountId, 'eventBytes', 0)
    const there = await tx.$queryRaw<
      unknown[]
    >`SELECT 1 FROM webhook_event WHERE id = ${eventId} AND account_id = ${ctx.accountId} FOR KEY SHARE`
    if (there.length === 0) throw noSuchDelivery()
    const count = await tx.$executeRaw`
      WITH replayed AS (
        INSERT INTO webhook_delivery AS d (account_id, endpoint_id, event_id) VALUES (${ctx.accountId}, ${endpointId}, ${eventId})
        ON CONFLICT (endpoint_id, event_id) DO UPDATE
        SET replay = d.replay + 1, failure_reason = NULL, changed_at = service_now()
        WHERE NOT EXISTS (SELECT FROM webhook_queue q WHERE q.delivery_id = d.id)
        RETURNING id, account_id, endpoint_id, event_id, replay)
      INSERT INTO webhook_queue (delivery_id, account_id, endpoint_id, event_id, due_at, replay)
      SELECT id, account_id, endpoint_id, event_id, service_now(), replay FROM replayed`
    if (count === 0) throw new ServiceError('CONFLICT', { message: 'A delivery of this event to this endpoint is already pending.' })
    await tx.$executeRaw`SELECT pg_notify('reelgate', 'webhook-due:')`
    await record(tx, ctx, { action: 'webhook.replay', subject: endpointId, after: { eventId } })
  })
}
