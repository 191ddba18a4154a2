import { type AccountCtx, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { outboundUrlRefusal } from '../../../platform/network/outbound-url-policy.ts'

/** Throws FORBIDDEN unless the actor may change webhooks. */
export const requireWebhookManagement = (ctx: AccountCtx): void => requirePermission(ctx, 'webhooks.change')

export const noSuchEndpoint = () => new ServiceError('NOT_FOUND', { message: 'No such webhook endpoint exists in your account.' })

/**
 * Returns the account's endpoint and locks it against other changes until the transaction ends. Inserts of deliveries and outcomes do not
 * wait for the lock unless it is taken to delete the endpoint. Errors: NOT_FOUND.
 */
export async function lockEndpoint(tx: Tx, ctx: AccountCtx, endpointId: string, to: 'change' | 'delete' = 'change') {
  if (to === 'delete')
    await tx.$queryRaw`SELECT 1 FROM webhook_endpoint WHERE id = ${endpointId} AND account_id = ${ctx.accountId} FOR UPDATE`
  else await tx.$queryRaw`SELECT 1 FROM webhook_endpoint WHERE id = ${endpointId} AND account_id = ${ctx.accountId} FOR NO KEY UPDATE`
  const row = await tx.webhookEndpoint.findFirst({ where: { id: endpointId, accountId: ctx.accountId } })
  if (!row) throw noSuchEndpoint()
  return row
}

/** Returns a permitted receiver URL in normal form, without its fragment. Errors: INVALID_REQUEST, with the field's name. */
export function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const refusal = url ? outboundUrlRefusal(url) : 'Enter a valid URL, such as https://example.com/hooks.'
  if (refusal) throw new ServiceError('INVALID_REQUEST', { message: refusal, details: [{ in: 'body', path: 'url', message: refusal }] })
  const { href, hash } = url as URL
  return hash ? href.slice(0, -hash.length) : href
}
