import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { newSigningSecret } from '../delivery/signature.ts'
import { lockEndpoint, requireWebhookManagement } from './owned-endpoint.ts'
import type { EndpointIdInput } from './schema.ts'
import { sealSigningSecret } from './secrets.ts'
import { OVERLAP_HOURS } from './state.ts'

/**
 * Replaces an endpoint's signing secret and returns the new one once. During the rotation overlap of 24 hours both sign each delivery; a
 * secret from before the last rotation stops at once. Errors: FORBIDDEN, NOT_FOUND.
 */
export async function rotateSecret(ctx: AccountCtx, { endpointId }: EndpointIdInput): Promise<{ secret: string }> {
  requireWebhookManagement(ctx)
  const secret = newSigningSecret()
  await db().$transaction(async (tx) => {
    await lockEndpoint(tx, ctx, endpointId)
    await tx.$executeRaw`
      UPDATE webhook_endpoint SET previous_secret = secret, secret = ${sealSigningSecret(secret, endpointId)},
        previous_until = service_now() + make_interval(hours => ${OVERLAP_HOURS})
      WHERE id = ${endpointId} AND account_id = ${ctx.accountId}`
    await record(tx, ctx, { action: 'webhook.rotate', subject: endpointId, after: { overlapHours: OVERLAP_HOURS } })
  })
  return { secret }
}
