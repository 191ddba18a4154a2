import { record } from '../audit/record.ts'
import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db, type Tx } from '../infra/db.ts'
import { changesWebhooks, lockEndpoint } from './own.ts'
import type { ReplaySinceInput } from './schema.ts'

/**
 * Delivers to an endpoint what it lacks of the events since a moment: those whose deliveries died, or those of its types that it was never
 * sent, being disabled or not there yet. Resolves with how many that is. Errors: FORBIDDEN, NOT_FOUND, CONFLICT when it is disabled.
 */
export async function replaySince(ctx: AccountCtx, { endpointId, which, since }: ReplaySinceInput): Promise<{ count: number }> {
  changesWebhooks(ctx)
  return db().$transaction(
    async (tx) => {
      const { disabledAt, events } = await lockEndpoint(tx, ctx, endpointId)
      if (disabledAt) throw new ServiceError('CONFLICT', { message: 'This endpoint is disabled. Enable it first.' })
      let count = 0
      for (let begun = BATCH; begun === BATCH; count += begun)
        begun = which === 'failed' ? await again(tx, ctx, endpointId, since) : await missing(tx, ctx, endpointId, since, events)
      if (count > 0) await tx.$executeRaw`SELECT pg_notify('reelgate', 'webhook-due:')`
      await record(tx, ctx, { action: 'webhook.replay', subject: endpointId, after: { which, since: since.toISOString(), count } })
      return { count }
    },
    { timeout: 60_000 },
  )
}

/** What one statement begins: none takes long, however much there is. */
const BATCH = 5_000

const again = (tx: Tx, { accountId }: AccountCtx, endpointId: string, since: Date): Promise<number> => tx.$executeRaw`
  UPDATE webhook_delivery d
  SET status = 'PENDING', due_at = service_now(), attempts = 0, round = d.round + 1, outcome = NULL, claimed = false, changed_at = service_now()
  WHERE d.id IN (
    SELECT dead.id FROM webhook_delivery dead JOIN webhook_event e ON e.id = dead.event_id
    WHERE dead.endpoint_id = ${endpointId} AND dead.account_id = ${accountId} AND dead.status = 'DEAD' AND e.created_at >= ${since} LIMIT ${BATCH})`

const missing = (tx: Tx, { accountId }: AccountCtx, endpointId: string, since: Date, types: string[]): Promise<number> => tx.$executeRaw`
  INSERT INTO webhook_delivery (account_id, endpoint_id, event_id, due_at)
  SELECT e.account_id, ${endpointId}, e.id, service_now() FROM webhook_event e
  WHERE e.account_id = ${accountId} AND e.created_at >= ${since} AND e.type = ANY (${types}) AND NOT e.sample
    AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = ${endpointId} AND d.event_id = e.id) LIMIT ${BATCH}
  ON CONFLICT (endpoint_id, event_id) DO NOTHING`
