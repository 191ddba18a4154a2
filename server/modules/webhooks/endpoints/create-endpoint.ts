import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { newSigningSecret } from '../delivery/signature.ts'
import { receiverUrl, requireWebhookManagement } from './owned-endpoint.ts'
import { type CreateEndpointInput, MAX_ENDPOINTS } from './schema.ts'
import { sealSigningSecret } from './secrets.ts'

export interface CreatedEndpoint {
  id: string
  url: string
  /** Returned this once and never again. */
  secret: string
}

/** Creates an endpoint and returns its signing secret once. Errors: FORBIDDEN, INVALID_REQUEST, CONFLICT at `MAX_ENDPOINTS`. */
export async function createEndpoint(ctx: AccountCtx, input: CreateEndpointInput): Promise<CreatedEndpoint> {
  requireWebhookManagement(ctx)
  const { accountId } = ctx
  const url = receiverUrl(input.url)
  const id = newId('whe')
  const secret = newSigningSecret()
  await db().$transaction(async (tx) => {
    // The account's lock keeps the count valid until the insert.
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
    if ((await tx.webhookEndpoint.count({ where: { accountId } })) >= MAX_ENDPOINTS)
      throw new ServiceError('CONFLICT', {
        message: `An account can have at most ${MAX_ENDPOINTS} endpoints. Delete an unused one first.`,
      })
    const { description, events, retrySchedule } = input
    await tx.webhookEndpoint.create({
      data: { id, accountId, url, description, events, retrySchedule, secret: sealSigningSecret(secret, id) },
    })
    await record(tx, ctx, { action: 'webhook.create', subject: id, after: { url, description, events, retrySchedule } })
  })
  return { id, url, secret }
}
