import { env } from '../../../platform/config/config.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { Prisma } from '../../../platform/prisma/client.ts'

const BATCH = 2_000

/** Days to keep sample events, for which nothing happened. */
export const SAMPLE_DAYS = 7

/**
 * Deletes events older than `EVENT_RETENTION_DAYS`, and samples older than 7 days, with their deliveries, except events with pending
 * deliveries. Also deletes leases that expired more than an hour ago. Returns the number of deleted events. Runs as the job
 * `webhook.purge`.
 */
export async function purgeEvents(signal: AbortSignal): Promise<number> {
  await db().$executeRaw`DELETE FROM webhook_lease WHERE lease_id IN (
    SELECT lease_id FROM webhook_lease WHERE leased_until < service_now() - interval '1 hour' FOR UPDATE SKIP LOCKED)`
  let purged = 0
  for (;;) {
    signal.throwIfAborted()
    // Two statements, each by its own index.
    const all = await db().$transaction((tx) => purgeSome(tx, env().EVENT_RETENTION_DAYS, false))
    const samples = await db().$transaction((tx) => purgeSome(tx, SAMPLE_DAYS, true))
    purged += all.gone + samples.gone
    if (Math.max(all.found, samples.found) < BATCH) return purged
  }
}

async function purgeSome(tx: Tx, days: number, samplesOnly: boolean): Promise<{ found: number; gone: number }> {
  const kind = samplesOnly ? Prisma.sql`sample AND` : Prisma.empty
  const old = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM webhook_event e WHERE ${kind} created_at < service_now() - make_interval(days => ${days})
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery_state d WHERE d.event_id = e.id AND d.queued_id IS NOT NULL)
    ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`
  // A replay locks its event, so this statement sees all replays so far.
  const gone = await tx.$executeRaw`
    DELETE FROM webhook_event e WHERE id = ANY (${old.map(({ id }) => id)})
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery_state d WHERE d.event_id = e.id AND d.queued_id IS NOT NULL)`
  return { found: old.length, gone }
}
