import type { AccountCtx, AccountId } from '../../../context.ts'
import { env } from '../../../platform/config/config.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { isMailConfigured, sendMail } from '../../../platform/mail.ts'
import { record } from '../../audit/record.ts'
import { lockEndpoint, requireWebhookManagement } from './edit-endpoints.ts'
import { DISABLED_REASONS, type DisabledReason } from './state.ts'

/** Marks an endpoint's waiting deliveries as dead. Does not abort attempts in flight. */
async function stopDeliveries(tx: Tx, endpointId: string): Promise<void> {
  await tx.$executeRaw`SELECT lock_webhook_queues(ARRAY[${endpointId}], true)`
  await tx.$executeRaw`
    WITH stopped AS (
      DELETE FROM webhook_queue WHERE endpoint_id = ${endpointId}
        AND delivery_id NOT IN (SELECT unnest(delivery_ids) FROM webhook_lease WHERE endpoint_id = ${endpointId}) RETURNING delivery_id)
    UPDATE webhook_delivery SET failure_reason = 'The endpoint was disabled.', changed_at = service_now()
    FROM stopped WHERE id = delivery_id`
}

/**
 * Marks deliveries of disabled endpoints as dead if they were leased when the endpoint was disabled and no longer are. Called after leases
 * are returned and after an endpoint is disabled: of two such transactions that overlap, neither sees the other's change.
 */
export async function stopStragglers(): Promise<void> {
  const stragglers = await db().$queryRaw<{ id: string }[]>`
    SELECT p.id FROM webhook_endpoint p WHERE p.disabled_at IS NOT NULL AND EXISTS (
      SELECT FROM webhook_queue q WHERE q.endpoint_id = p.id AND q.delivery_id NOT IN (
        SELECT unnest(delivery_ids) FROM webhook_lease WHERE leased_until > service_now()))`
  for (const { id } of stragglers)
    await db().$transaction(async (tx) => {
      // A concurrent transaction may have enabled or deleted the endpoint.
      const still = await tx.$queryRaw<
        unknown[]
      >`SELECT 1 FROM webhook_endpoint WHERE id = ${id} AND disabled_at IS NOT NULL FOR NO KEY UPDATE`
      if (still.length > 0) await stopDeliveries(tx, id)
    })
}

/**
 * Disables an endpoint whose receiver returned 410 or has failed for days. Resolves with the data for the email to its owners. Undefined if
 * it was already disabled or deleted.
 */
export async function disableEndpoint(
  endpointId: string,
  reason: Exclude<DisabledReason, 'owner'>,
): Promise<{ accountId: AccountId; url: string } | undefined> {
  const disabled = await db().$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ account_id: AccountId; url: string }[]>`
      UPDATE webhook_endpoint SET disabled_at = service_now(), disabled_reason = ${reason}
      WHERE id = ${endpointId} AND disabled_at IS NULL RETURNING account_id, url`
    if (!row) return undefined
    await stopDeliveries(tx, endpointId)
    const ctx = { accountId: row.account_id, actor: { kind: 'system' } as const }
    await record(tx, ctx, { action: 'webhook.disable', subject: endpointId, after: { reason: DISABLED_REASONS[reason] } })
    return { accountId: row.account_id, url: row.url }
  })
  if (disabled) await stopStragglers()
  return disabled
}

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

/** Emails owners and developers about a disabled endpoint, if mail is configured. The dashboard shows it in any case. */
export async function notifyEndpointDisabled(
  { accountId, url }: { accountId: AccountId; url: string },
  reason: DisabledReason,
): Promise<void> {
  if (!isMailConfigured()) return
  const members = await db().membership.findMany({
    where: { accountId, role: { in: ['OWNER', 'DEVELOPER'] }, user: { suspendedAt: null } },
    select: { user: { select: { email: true } } },
  })
  const text = [
    `We no longer send events to ${url}`,
    '',
    DISABLED_REASONS[reason],
    '',
    'Once you have fixed the receiver, enable the endpoint under Webhooks in the dashboard. There, you can also replay failed and missed deliveries.',
    `${env().BASE_URL}/webhooks`,
  ].join('\n')
  for (const { user } of members) await sendMail({ to: user.email, subject: 'A webhook endpoint was disabled', text })
}
