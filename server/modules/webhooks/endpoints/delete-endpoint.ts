import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { lockEndpoint, requireWebhookManagement } from './owned-endpoint.ts'
import type { EndpointIdInput } from './schema.ts'

/** Deletes an endpoint with its deliveries; the events stay in the log. Errors: FORBIDDEN, NOT_FOUND. */
export async function removeEndpoint(ctx: AccountCtx, { endpointId }: EndpointIdInput): Promise<void> {
  requireWebhookManagement(ctx)
  await db().$transaction(async (tx) => {
    const { url } = await lockEndpoint(tx, ctx, endpointId, 'delete')
    await tx.webhookEndpoint.delete({ where: { id: endpointId, accountId: ctx.accountId } })
    await record(tx, ctx, { action: 'webhook.remove', subject: endpointId, before: { url } })
  })
}
