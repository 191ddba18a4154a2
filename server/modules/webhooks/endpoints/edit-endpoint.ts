import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { lockEndpoint, receiverUrl, requireWebhookManagement } from './owned-endpoint.ts'
import type { EditEndpointInput } from './schema.ts'

/**
 * Changes an endpoint's URL, description, event types and retry schedule. Waiting deliveries are sent to the new URL, and their next
 * failure follows the new schedule. Errors: FORBIDDEN, NOT_FOUND, INVALID_REQUEST, CONFLICT when it differs from `expected` (`details` has its present values).
 */
export async function editEndpoint(ctx: AccountCtx, { endpointId, expected, ...input }: EditEndpointInput): Promise<void> {
  requireWebhookManagement(ctx)
  const after = { ...input, url: receiverUrl(input.url) }
  await db().$transaction(async (tx) => {
    const { url, description, events, retrySchedule } = await lockEndpoint(tx, ctx, endpointId)
    const before = { url, description, events, retrySchedule }
    if (same(before, after)) return
    if (!same(before, expected)) throw changedMeanwhile(before)
    await tx.webhookEndpoint.update({ where: { id: endpointId, accountId: ctx.accountId }, data: after })
    await record(tx, ctx, { action: 'webhook.edit', subject: endpointId, before, after })
  })
}

/** Compares the fields; the order of the events is irrelevant. */
const same = (one: EditEndpointInput['expected'], other: EditEndpointInput['expected']) =>
  one.url === other.url &&
  one.description === other.description &&
  one.retrySchedule === other.retrySchedule &&
  [...one.events].sort().join() === [...other.events].sort().join()
