import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { requireRecordSpace } from '../../identity/accounts/records.ts'
import { lockEndpoint, requireWebhookManagement } from '../endpoints/owned-endpoint.ts'
import type { ReplaySinceInput } from '../endpoints/schema.ts'

/** The number of deliveries that a batch queued, and the last row that it read; null when there were no more rows. */
interface ReplayBatch {
  count: number
  last: bigint | null
}

/**
 * Queues an endpoint's events since a time: those with dead deliveries, or those of its types without a delivery (it was disabled or did
 * not exist yet). Each batch is one transaction, so that locks are short; a repeated call continues after an interruption.
 * Resolves with the number of queued deliveries. Errors: FORBIDDEN, NOT_FOUND, CONFLICT when it is disabled, TOO_MANY_ATTEMPTS
 * beyond a limit of the account.
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

/** Deliveries or events that one statement reads, which bounds its duration. */
const BATCH = 10_000

/** The rows that a batch reads: those behind the row `after` whose event happened at `since` or later. */
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
