import type { AccountCtx } from '../context.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '../events.ts'
import { newSigningSecret } from '../modules/webhooks/delivery/signature.ts'
import { emit } from '../modules/webhooks/endpoints/emit.ts'
import { sealSigningSecret } from '../modules/webhooks/endpoints/secrets.ts'
import { db, pool } from '../platform/database/database.ts'
import { newId } from '../platform/secrets/crypto.ts'

/** Creates an endpoint for every type of event, at an address that the dashboard might refuse. */
export async function makeEndpoint(ctx: AccountCtx, url: string): Promise<{ id: string; secret: string }> {
  const id = newId('whe')
  const secret = newSigningSecret()
  await db().webhookEndpoint.create({
    data: { id, accountId: ctx.accountId, url, events: EVENT_TYPES, secret: sealSigningSecret(secret, id) },
  })
  return { id, secret }
}

/** Emits `count` events of one type; returns their ids. */
export async function emitMany(ctx: AccountCtx, count: number, type: EventType = 'video.processing.completed'): Promise<string[]> {
  const ids: string[] = []
  await db().$transaction(
    async (tx) => {
      for (let made = 0; made < count; made++) ids.push((await emit(tx, ctx.accountId, type, EVENTS[type].sample as never)) as string)
    },
    { timeout: 60_000 },
  )
  return ids
}

/** Returns whether all events are below every running transaction, so that a list of events can return them. */
export async function areEventsSettled(): Promise<boolean> {
  const text = 'SELECT bool_and(tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint) IS NOT FALSE AS settled FROM webhook_event'
  return (await pool().query<{ settled: boolean }>(text)).rows[0]?.settled === true
}
