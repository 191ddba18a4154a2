import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { lockEndpoint, requireWebhookManagement } from './owned-endpoint.ts'
import type { ReplaySinceInput } from './schema.ts'

/** How many deliveries a stretch began, and where it ended; `last` is null when there was nothing more to look at. */
interface Stretch {
  begun: number
  last: bigint | null
}

/**
 * Delivers to an endpoint what it lacks of the events since a moment: those whose deliveries died, or those of its types that it was never
 * sent, being disabled or not there yet. Each stretch is a change of its own, so that none holds others up; asking again goes on where one
 * was broken off. Resolves with how many that is. Errors: FORBIDDEN, NOT_FOUND, CONFLICT when it is disabled.
 */
export async function replaySince(ctx: AccountCtx, input: ReplaySinceInput): Promise<{ count: number }> {
  requireWebhookManagement(ctx)
  let count = 0
  for (let last: bigint | null = 0n; last !== null; ) {
    const stretch = await replayStretch(ctx, input, last)
    count += stretch.begun
    last = stretch.last
  }
  return { count }
}

const replayStretch = (ctx: AccountCtx, { endpointId, which, since }: ReplaySinceInput, after: bigint): Promise<Stretch> =>
  db().$transaction(
    async (tx) => {
      const { disabledAt, events } = await lockEndpoint(tx, ctx, endpointId)
      if (disabledAt) throw new ServiceError('CONFLICT', { message: 'This endpoint is disabled. Enable it first.' })
      const stretch = which === 'failed' ? again(tx, ctx, endpointId, since, after) : missing(tx, ctx, endpointId, since, after, events)
      const [{ begun, last }] = (await stretch) as [Stretch]
      if (begun > 0) await tx.$executeRaw`SELECT pg_notify('reelgate', 'webhook-due:')`
      if (begun > 0 || (after === 0n && last === null))
        await record(tx, ctx, { action: 'webhook.replay', subject: endpointId, after: { which, since: since.toISOString(), count: begun } })
      return { begun, last }
    },
    { timeout: 30_000 },
  )

/** Deliveries or events that one statement looks at: none takes long, however much there is. */
const STRETCH = 10_000

const again = (tx: Tx, { accountId }: AccountCtx, endpointId: string, since: Date, after: bigint): Promise<Stretch[]> => tx.$queryRaw`
  WITH looked AS MATERIALIZED (
    SELECT d.id FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id
    WHERE d.endpoint_id = ${endpointId} AND d.account_id = ${accountId} AND d.id > ${after} AND d.died_of IS NOT NULL AND e.created_at >= ${since}
    ORDER BY d.id LIMIT ${STRETCH} FOR KEY SHARE OF e),
  begun AS (
    UPDATE webhook_delivery d SET round = d.round + 1, died_of = NULL, changed_at = service_now()
    FROM looked WHERE d.id = looked.id AND d.died_of IS NOT NULL RETURNING d.id, d.event_id, d.round),
  queued AS (
    INSERT INTO webhook_due (delivery_id, account_id, endpoint_id, event_id, due_at, round)
    SELECT id, ${accountId}, ${endpointId}, event_id, service_now(), round FROM begun)
  SELECT (SELECT count(*)::int FROM begun) AS begun, (SELECT max(id) FROM looked) AS last`

const missing = (tx: Tx, { accountId }: AccountCtx, endpointId: string, since: Date, after: bigint, types: string[]): Promise<Stretch[]> =>
  tx.$queryRaw`
  WITH looked AS MATERIALIZED (
    SELECT id, seq, type, sample, created_at FROM webhook_event WHERE account_id = ${accountId} AND seq > ${after} ORDER BY seq LIMIT ${STRETCH}),
  begun AS (
    INSERT INTO webhook_delivery (account_id, endpoint_id, event_id)
    SELECT ${accountId}, ${endpointId}, e.id FROM looked e
    WHERE e.created_at >= ${since} AND e.type = ANY (${types}) AND NOT e.sample
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = ${endpointId} AND d.event_id = e.id)
    ON CONFLICT (endpoint_id, event_id) DO NOTHING RETURNING id, event_id),
  queued AS (
    INSERT INTO webhook_due (delivery_id, account_id, endpoint_id, event_id, due_at)
    SELECT id, ${accountId}, ${endpointId}, event_id, service_now() FROM begun)
  SELECT (SELECT count(*)::int FROM begun) AS begun, (SELECT max(seq) FROM looked) AS last`
