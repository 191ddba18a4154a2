import type { AccountCtx } from '../context.ts'
import type { EventType } from '../events.ts'
import { db, query } from '../infra/db.ts'
import { noSuchEndpoint } from './own.ts'
import { PAGE, pageOf, placeOf } from './page.ts'
import type { DeliveriesInput } from './schema.ts'
import type { DeliveryStatus } from './state.ts'

/** One event on its way to one endpoint. */
export interface ListedDelivery {
  endpointId: string
  eventId: string
  eventType: EventType
  /** When the event happened. */
  createdAt: Date
  /** Fired to try things out. */
  sample: boolean
  status: DeliveryStatus
  /** A dispatcher has it in hand just now. */
  sending: boolean
  /** Of this round; a replay begins another. */
  attempts: number
  /** Why the last attempt failed, in words. */
  outcome: string | null
  /** Of a pending one that is not in hand. */
  nextAt: Date | null
  changedAt: Date
}

export const DELIVERY_COLUMNS = {
  id: true,
  endpointId: true,
  eventId: true,
  status: true,
  attempts: true,
  outcome: true,
  changedAt: true,
  queued: { select: { dueAt: true } },
  event: { select: { type: true, createdAt: true, sample: true } },
} as const

interface Row {
  id: bigint
  endpointId: string
  eventId: string
  status: DeliveryStatus
  attempts: number
  outcome: string | null
  changedAt: Date
  queued: { dueAt: Date } | null
  event: { type: string; createdAt: Date; sample: boolean }
}

/** Which of these a dispatcher has in hand just now. */
async function inHand(rows: readonly Row[]): Promise<Set<bigint>> {
  const pending = rows.filter(({ queued }) => queued)
  if (pending.length === 0) return new Set()
  const found = await query<{ id: string }>(
    'webhook-in-hand',
    `SELECT one AS id FROM webhook_claim, unnest(deliveries) AS one
     WHERE endpoint_id = ANY ($1::text[]) AND until > service_now() AND one = ANY ($2::bigint[])`,
    [[...new Set(pending.map(({ endpointId }) => endpointId))], pending.map(({ id }) => String(id))],
  )
  return new Set(found.map(({ id }) => BigInt(id)))
}

/** Rows as they are listed, in their order. */
export async function listed(rows: readonly Row[]): Promise<ListedDelivery[]> {
  const sending = await inHand(rows)
  return rows.map(({ id, endpointId, eventId, status, attempts, outcome, changedAt, queued, event }) => ({
    endpointId,
    eventId,
    eventType: event.type as EventType,
    createdAt: event.createdAt,
    sample: event.sample,
    status,
    sending: sending.has(id),
    attempts,
    outcome,
    nextAt: queued && !sending.has(id) ? queued.dueAt : null,
    changedAt,
  }))
}

/** Deliveries to one endpoint, the newest first, in pages of 50. Errors: NOT_FOUND, INVALID_REQUEST. */
export async function listDeliveries(
  ctx: AccountCtx,
  { endpointId, status, cursor }: DeliveriesInput,
): Promise<{ deliveries: ListedDelivery[]; nextCursor: string | null }> {
  const { accountId } = ctx
  const before = placeOf(cursor)
  if ((await db().webhookEndpoint.count({ where: { id: endpointId, accountId } })) === 0) throw noSuchEndpoint()
  const found = await db().webhookDelivery.findMany({
    where: { accountId, endpointId, status, id: before === undefined ? undefined : { lt: before } },
    select: DELIVERY_COLUMNS,
    orderBy: { id: 'desc' },
    take: PAGE + 1,
  })
  const { rows, nextCursor } = pageOf(found, (row) => row.id)
  return { deliveries: await listed(rows), nextCursor }
}
