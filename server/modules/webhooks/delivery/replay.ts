import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { sampleData } from '../../../events.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { requireRecordSpace } from '../../identity/accounts/records.ts'
import { lockEndpoint, requireWebhookManagement } from '../endpoints/edit-endpoints.ts'
import type { DeliveryInput, ReplaySinceInput, SendTestInput } from '../endpoints/schema.ts'
import { noSuchDelivery } from './list-deliveries.ts'

/**
 * Queues an event for an endpoint again, with the same event ID and the full retry schedule, even if the endpoint never received it.
 * Errors: FORBIDDEN, NOT_FOUND, CONFLICT if the endpoint is disabled or the delivery is already pending, TOO_MANY_ATTEMPTS beyond a limit
 * of the account.
 */
export async function replayDelivery(ctx: AccountCtx, { endpointId, eventId }: DeliveryInput): Promise<void> {
  requireWebhookManagement(ctx)
  await db().$transaction(async (tx) => {
    const { disabledAt } = await lockEndpoint(tx, ctx, endpointId)
    if (disabledAt) throw new ServiceError('CONFLICT', { message: 'This endpoint is disabled. Enable it first.' })
    await requireRecordSpace(tx, ctx.accountId, 'eventBytes', 0)
    const there = await tx.$queryRaw<
      unknown[]
    >`SELECT 1 FROM webhook_event WHERE id = ${eventId} AND account_id = ${ctx.accountId} FOR KEY SHARE`
    if (there.length === 0) throw noSuchDelivery()
    const count = await tx.$executeRaw`
      WITH replayed AS (
        INSERT INTO webhook_delivery AS d (account_id, endpoint_id, event_id) VALUES (${ctx.accountId}, ${endpointId}, ${eventId})
        ON CONFLICT (endpoint_id, event_id) DO UPDATE
        SET replay = d.replay + 1, failure_reason = NULL, changed_at = service_now()
        WHERE NOT EXISTS (SELECT FROM webhook_queue q WHERE q.delivery_id = d.id)
        RETURNING id, account_id, endpoint_id, event_id, replay)
      INSERT INTO webhook_queue (delivery_id, account_id, endpoint_id, event_id, due_at, replay)
      SELECT id, account_id, endpoint_id, event_id, service_now(), replay FROM replayed`
    if (count === 0) throw new ServiceError('CONFLICT', { message: 'This event is already waiting to be delivered to this endpoint.' })
    await tx.$executeRaw`SELECT pg_notify('reelgate', 'webhook-due:')`
    await record(tx, ctx, { action: 'webhook.replay', subject: endpointId, after: { eventId } })
  })
}

/** How many deliveries a batch queued, and the last row it read. Null if there were no more rows. */
interface ReplayBatch {
  count: number
  last: bigint | null
}

/**
 * Queues an endpoint's events since a given time: those with dead deliveries, or those of its types without a delivery (it was disabled or
 * did not exist yet). Each batch is one transaction, so that locks are short; repeating the call continues after an interruption. Resolves
 * with the number of queued deliveries. Errors: FORBIDDEN, NOT_FOUND, CONFLICT if it is disabled, TOO_MANY_ATTEMPTS beyond a limit of the
 * account.
 */
export async function replaySince(ctx: AccountCtx, input: ReplaySinceInput): Promise<{ count: number }> {
  requireWebhookManagement(ctx)
  let count = 0
  for (let last: bigint | null = 0n; last !== null; ) {
    const batch = await replayBatch(ctx, input, last)
    count += batch.count
    last = batch.last
  }
  return { count }
}

const replayBatch = (ctx: AccountCtx, { endpointId, which, since }: ReplaySinceInput, after: bigint): Promise<ReplayBatch> =>
  db().$transaction(
    async (tx) => {
      const { disabledAt, events } = await lockEndpoint(tx, ctx, endpointId)
      if (disabledAt) throw new ServiceError('CONFLICT', { message: 'This endpoint is disabled. Enable it first.' })
      await requireRecordSpace(tx, ctx.accountId, 'eventBytes', 0)
      const range = { accountId: ctx.accountId, endpointId, since, after }
      const [{ count, last }] = await (which === 'failed' ? replayDead(tx, range) : deliverMissing(tx, range, events))
      if (count > 0) await tx.$executeRaw`SELECT pg_notify('reelgate', 'webhook-due:')`
      if (count > 0 || (after === 0n && last === null))
        await record(tx, ctx, { action: 'webhook.replay', subject: endpointId, after: { which, since: since.toISOString(), count } })
      return { count, last }
    },
    { timeout: 30_000 },
  )

/** How many deliveries or events one statement reads, which limits its duration. */
const BATCH = 10_000

/** The rows that a batch reads: those after the row `after` whose event happened at `since` or later. */
interface Range {
  accountId: string
  endpointId: string
  since: Date
  after: bigint
}

const replayDead = (tx: Tx, { accountId, endpointId, since, after }: Range): Promise<[ReplayBatch]> => tx.$queryRaw`
  WITH scanned AS MATERIALIZED (
    SELECT d.id FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id
    WHERE d.endpoint_id = ${endpointId} AND d.account_id = ${accountId} AND d.id > ${after} AND d.failure_reason IS NOT NULL AND e.created_at >= ${since}
    ORDER BY d.id LIMIT ${BATCH} FOR KEY SHARE OF e),
  replayed AS (
    UPDATE webhook_delivery d SET replay = d.replay + 1, failure_reason = NULL, changed_at = service_now()
    FROM scanned WHERE d.id = scanned.id AND d.failure_reason IS NOT NULL RETURNING d.id, d.event_id, d.replay),
  queued AS (
    INSERT INTO webhook_queue (delivery_id, account_id, endpoint_id, event_id, due_at, replay)
    SELECT id, ${accountId}, ${endpointId}, event_id, service_now(), replay FROM replayed)
  SELECT (SELECT count(*)::int FROM replayed) AS count, (SELECT max(id) FROM scanned) AS last`

const deliverMissing = (tx: Tx, { accountId, endpointId, since, after }: Range, types: string[]): Promise<[ReplayBatch]> => tx.$queryRaw`
  WITH scanned AS MATERIALIZED (
    SELECT id, seq, type, sample, created_at FROM webhook_event WHERE account_id = ${accountId} AND seq > ${after} ORDER BY seq LIMIT ${BATCH}),
  created AS (
    INSERT INTO webhook_delivery (account_id, endpoint_id, event_id)
    SELECT ${accountId}, ${endpointId}, e.id FROM scanned e
    WHERE e.created_at >= ${since} AND e.type = ANY (${types}) AND NOT e.sample
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = ${endpointId} AND d.event_id = e.id)
    ON CONFLICT (endpoint_id, event_id) DO NOTHING RETURNING id, event_id),
  queued AS (
    INSERT INTO webhook_queue (delivery_id, account_id, endpoint_id, event_id, due_at)
    SELECT id, ${accountId}, ${endpointId}, event_id, service_now() FROM created)
  SELECT (SELECT count(*)::int FROM created) AS count, (SELECT max(seq) FROM scanned) AS last`

/**
 * Makes the next attempt of a pending delivery due now. It counts as that attempt: if it fails, the schedule continues. Errors: FORBIDDEN,
 * NOT_FOUND; CONFLICT if its endpoint is disabled, if it is being sent, or if it is not pending.
 */
export async function retryNow(ctx: AccountCtx, { endpointId, eventId }: DeliveryInput): Promise<void> {
  requireWebhookManagement(ctx)
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    const { disabledAt } = await lockEndpoint(tx, ctx, endpointId)
    if (disabledAt) throw new ServiceError('CONFLICT', { message: 'This endpoint is disabled. Enable it first.' })
    // The queue's lock keeps dispatchers from leasing the delivery in the meantime.
    await tx.$queryRaw`SELECT lock_webhook_queues(ARRAY[${endpointId}], true)`
    const [delivery] = await tx.$queryRaw<{ queued: boolean; sending: boolean }[]>`
      SELECT q.delivery_id IS NOT NULL AS queued, EXISTS (
        SELECT FROM webhook_lease l WHERE l.endpoint_id = d.endpoint_id AND d.id = ANY (l.delivery_ids)) AS sending
      FROM webhook_delivery d LEFT JOIN webhook_queue q ON q.delivery_id = d.id
      WHERE d.account_id = ${accountId} AND d.endpoint_id = ${endpointId} AND d.event_id = ${eventId}`
    if (!delivery) throw noSuchDelivery()
    if (!delivery.queued) throw new ServiceError('CONFLICT', { message: 'This delivery is no longer pending. Replay it to send it again.' })
    if (delivery.sending) throw new ServiceError('CONFLICT', { message: 'This delivery is being sent right now.' })
    await tx.$executeRaw`
      UPDATE webhook_queue SET due_at = service_now()
      WHERE endpoint_id = ${endpointId} AND event_id = ${eventId} AND account_id = ${accountId} AND due_at > service_now()`
    await tx.$executeRaw`SELECT pg_notify('reelgate', 'webhook-due:'), pg_notify('reelgate', ${`webhook:${accountId}`})`
    await record(tx, ctx, { action: 'webhook.retry', subject: endpointId, after: { eventId } })
  })
}

/**
 * Queues a type's sample event for one endpoint, whether it subscribes to the type or not. Signed and retried like any event. Errors:
 * FORBIDDEN, NOT_FOUND, CONFLICT if it is disabled, TOO_MANY_ATTEMPTS beyond a limit of the account.
 */
export async function sendTest(ctx: AccountCtx, { endpointId, type }: SendTestInput): Promise<{ eventId: string }> {
  requireWebhookManagement(ctx)
  const eventId = newId('evt')
  await db().$transaction(async (tx) => {
    const { disabledAt } = await lockEndpoint(tx, ctx, endpointId)
    if (disabledAt) throw new ServiceError('CONFLICT', { message: 'This endpoint is disabled. Enable it first.' })
    await requireRecordSpace(tx, ctx.accountId, 'eventBytes', 0)
    const data = JSON.stringify(sampleData(type, new Date(serviceNow())))
    await tx.$queryRaw`SELECT emit_event(${eventId}, ${ctx.accountId}, ${type}, ${data}::json, NULL, true, ${endpointId})`
    await record(tx, ctx, { action: 'webhook.test', subject: endpointId, after: { type, eventId } })
  })
  return { eventId }
}
