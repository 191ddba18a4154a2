import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { sampleData } from '../../../events.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { requireRecordSpace } from '../../identity/accounts/records.ts'
import { lockEndpoint, requireWebhookManagement } from '../endpoints/owned-endpoint.ts'
import type { SendTestInput } from '../endpoints/schema.ts'

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
