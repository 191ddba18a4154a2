import { type AccountCtx, requirePermission } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database.ts'
import { outboundUrlRefusal } from '../../platform/outbound-url-policy.ts'

/** Throws FORBIDDEN unless the actor may change webhooks. */
export const requireWebhookManagement = (ctx: AccountCtx): void => requirePermission(ctx, 'webhooks.change')

export const noSuchEndpoint = () => new ServiceError('NOT_FOUND', { message: 'There is no such webhook endpoint in your account.' })

/**
 * The account's endpoint, locked against other changes until the transaction ends; new deliveries and outcomes for it do not wait, unless it is
 * locked to be deleted. Errors: NOT_FOUND.
 */
export async function lockEndpoint(tx: Tx, ctx: AccountCtx, endpointId: string, to: 'change' | 'delete' = 'change') {
  if (to === 'delete')
    await tx.$queryRaw`SELECT 1 FROM webhook_endpoint WHERE id = ${endpointId} AND account_id = ${ctx.accountId} FOR UPDATE`
  else await tx.$queryRaw`SELECT 1 FROM webhook_endpoint WHERE id = ${endpointId} AND account_id = ${ctx.accountId} FOR NO KEY UPDATE`
  const row = await tx.webhookEndpoint.findFirst({ where: { id: endpointId, accountId: ctx.accountId } })
  if (!row) throw noSuchEndpoint()
  return row
}

/** An address that may be a receiver's, in its normal form. Errors: INVALID_REQUEST, naming the field. */
export function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const problem = url ? outboundUrlRefusal(url) : 'This is not an address. Give one such as https://example.com/hooks.'
  if (problem) throw new ServiceError('INVALID_REQUEST', { message: problem, details: [{ in: 'body', path: 'url', message: problem }] })
  const { href, hash } = url as URL
  return hash ? href.slice(0, -hash.length) : href
}
