import { type AccountCtx, requirePermission } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { signFor } from '../../../platform/config/secrets.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { outboundUrlRefusal } from '../../../platform/network/outbound-url-policy.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { newSigningSecret } from '../delivery/signature.ts'
import { type CreateEndpointInput, type EditEndpointInput, type EndpointIdInput, MAX_ENDPOINTS } from './schema.ts'
import { sealSigningSecret } from './secrets.ts'
import { OVERLAP_HOURS } from './state.ts'

interface CreatedEndpoint {
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

/**
 * Changes an endpoint's URL, description, event types and retry schedule. Waiting deliveries go to the new URL, and their next failure
 * follows the new schedule. Errors: FORBIDDEN, NOT_FOUND, INVALID_REQUEST, CONFLICT if it differs from `expected` (`details` has its
 * current values).
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

/** Compares the fields, ignoring the order of events. */
const same = (one: EditEndpointInput['expected'], other: EditEndpointInput['expected']) =>
  one.url === other.url &&
  one.description === other.description &&
  one.retrySchedule === other.retrySchedule &&
  [...one.events].sort().join() === [...other.events].sort().join()

/** Deletes an endpoint with its deliveries. The events stay in the log. Errors: FORBIDDEN, NOT_FOUND. */
export async function removeEndpoint(ctx: AccountCtx, { endpointId }: EndpointIdInput): Promise<void> {
  requireWebhookManagement(ctx)
  await db().$transaction(async (tx) => {
    const { url } = await lockEndpoint(tx, ctx, endpointId, 'delete')
    await tx.webhookEndpoint.delete({ where: { id: endpointId, accountId: ctx.accountId } })
    await record(tx, ctx, { action: 'webhook.remove', subject: endpointId, before: { url } })
  })
}

/**
 * Replaces an endpoint's signing secret and returns the new one once. During the rotation overlap of 24 hours, both sign each delivery; a
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

/**
 * Returns the secret that `reelgate listen` signs forwarded events with: one per account, so that a receiver on a developer's machine is
 * configured once. Endpoints have other secrets. It changes with the root secret.
 */
export const listenSecret = ({ accountId }: Pick<AccountCtx, 'accountId'>): string =>
  `whsec_${Buffer.from(signFor('listen-secret', accountId), 'base64url').toString('hex')}`

/** Throws FORBIDDEN unless the actor may change webhooks. */
export const requireWebhookManagement = (ctx: AccountCtx): void => requirePermission(ctx, 'webhooks.change')

export const noSuchEndpoint = () => new ServiceError('NOT_FOUND', { message: 'Your account has no such webhook endpoint.' })

/**
 * Returns the account's endpoint and locks it against other changes until the transaction ends. Inserts of deliveries and outcomes wait for
 * the lock only if it is taken to delete the endpoint. Errors: NOT_FOUND.
 */
export async function lockEndpoint(tx: Tx, ctx: AccountCtx, endpointId: string, to: 'change' | 'delete' = 'change') {
  if (to === 'delete')
    await tx.$queryRaw`SELECT 1 FROM webhook_endpoint WHERE id = ${endpointId} AND account_id = ${ctx.accountId} FOR UPDATE`
  else await tx.$queryRaw`SELECT 1 FROM webhook_endpoint WHERE id = ${endpointId} AND account_id = ${ctx.accountId} FOR NO KEY UPDATE`
  const row = await tx.webhookEndpoint.findFirst({ where: { id: endpointId, accountId: ctx.accountId } })
  if (!row) throw noSuchEndpoint()
  return row
}

/** Returns an allowed receiver URL in normal form, without its fragment. Errors: INVALID_REQUEST, with the field's name. */
function receiverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const refusal = url ? outboundUrlRefusal(url) : 'Enter a valid URL, such as https://example.com/hooks.'
  if (refusal) throw new ServiceError('INVALID_REQUEST', { message: refusal, details: [{ in: 'body', path: 'url', message: refusal }] })
  const { href, hash } = url as URL
  return hash ? href.slice(0, -hash.length) : href
}
