import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { stopDeliveries, stopStragglers } from './disable-endpoint.ts'
import { lockEndpoint, requireWebhookManagement } from './owned-endpoint.ts'

/**
 * Enables or disables an endpoint. A disabled one gets no new deliveries, and its waiting ones become dead; both can be replayed once it is
 * enabled. Errors: FORBIDDEN, NOT_FOUND.
 */
export async function enableEndpoint(ctx: AccountCtx, { endpointId, enabled }: { endpointId: string; enabled: boolean }): Promise<void> {
  requireWebhookManagement(ctx)
  await db().$transaction(async (tx) => {
    const { disabledAt } = await lockEndpoint(tx, ctx, endpointId)
    if (enabled === (disabledAt === null)) return
    await tx.$executeRaw`
      UPDATE webhook_endpoint SET disabled_at = CASE WHEN ${enabled} THEN NULL ELSE service_now() END,
        disabled_reason = CASE WHEN ${enabled} THEN NULL ELSE 'owner' END, failing_since = NULL
      WHERE id = ${endpointId} AND account_id = ${ctx.accountId}`
    if (!enabled) await stopDeliveries(tx, endpointId)
    await record(tx, ctx, { action: enabled ? 'webhook.enable' : 'webhook.disable', subject: endpointId })
  })
  if (!enabled) await stopStragglers()
}
