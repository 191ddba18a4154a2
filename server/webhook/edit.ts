import { record } from '../audit/record.ts'
import type { AccountCtx } from '../context.ts'
import { db } from '../infra/db.ts'
import { changesWebhooks, lockEndpoint, receiverUrl } from './own.ts'
import type { EditEndpointInput } from './schema.ts'

/** Changes where an endpoint is and what it wants. What waits for it goes to the new address. Errors: FORBIDDEN, NOT_FOUND, INVALID_REQUEST. */
export async function editEndpoint(ctx: AccountCtx, { endpointId, ...input }: EditEndpointInput): Promise<void> {
  changesWebhooks(ctx)
  const after = { ...input, url: receiverUrl(input.url) }
  await db().$transaction(async (tx) => {
    const { url, description, events } = await lockEndpoint(tx, ctx, endpointId)
    await tx.webhookEndpoint.update({ where: { id: endpointId, accountId: ctx.accountId }, data: after })
    await record(tx, ctx, { action: 'webhook.edit', subject: endpointId, before: { url, description, events }, after })
  })
}
