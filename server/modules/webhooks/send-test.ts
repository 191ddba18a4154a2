import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { sampleData } from '../../events.ts'
import { serviceNow } from '../../platform/clock.ts'
import { newId } from '../../platform/crypto.ts'
import { db } from '../../platform/database.ts'
import { requireRecordSpace } from '../accounts/records.ts'
import { record } from '../audit/record.ts'
import { lockEndpoint, requireWebhookManagement } from './owned-endpoint.ts'
import type { SendTestInput } from './schema.ts'

/**
 * Queues the sample event of a type for one endpoint, whether it is subscribed to the type or not; signed and retried as any event.
 * Errors: FORBIDDEN, NOT_FOUND, CONFLICT when it is disabled, TOO_MANY_ATTEMPTS beyond a limit of the account.
 */
export async function sendTest(ctx: AccountCtx, { endpointId, type }: SendTestInput): Promise<{ eventId: string }> {
  requireWebhookManagement(ctx)
  const eventId = newId('evt')
  await db().$transaction(async (tx) => {
    const { disabledAt } = await lockEndpoint(tx, ctx, endpointId)
    if (disabledAt) throw new ServiceError('CONFLICT', { message: 'This endpoint is disabled. Enable it first.' })
    await requireRecordSpace(tx, ctx.accountId, 'eventBytes', 0)
    const data = JSON.stringify(sampleData(type, new Date(serviceNow())))
    await tx.$queryRaw`SELECT emit_event(${eventId}, ${ctx.accountId}, ${type}, ${data}::json, NULL, true, ${endpointId})`
    await record(tx, ctx, { action: 'webhook.test', subject: endpointId, after: { type, eventId } })
  })
  return { eventId }
}
