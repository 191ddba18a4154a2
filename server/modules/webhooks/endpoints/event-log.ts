import type { AccountCtx } from '../../../context.ts'
import type { EventType } from '../../../events.ts'
import { pageOf } from '../../../platform/database/cursor.ts'
import { db, queryByIndex } from '../../../platform/database/database.ts'
import { PAGE_SIZE, parseRowCursor } from '../delivery/list-page.ts'
import { DELIVERY_COUNTS, type DeliveryCounts, NO_DELIVERIES } from './counts.ts'
import type { EventLogInput } from './schema.ts'

/** An event of the log with the number of its deliveries by status. */
export interface LoggedEvent {
  eventId: string
  eventType: EventType
  createdAt: Date
  sample: boolean
  /** All 0 when no endpoint is subscribed to it. */
  deliveries: DeliveryCounts
}

/** Lists all events of the account, with or without deliveries, the newest first, in pages of 50. Errors: INVALID_REQUEST. */
export async function listEvents(
  ctx: AccountCtx,
  { type, cursor }: EventLogInput,
): Promise<{ events: LoggedEvent[]; nextCursor: string | null }> {
  const { accountId } = ctx
  const before = parseRowCursor(cursor)
  const found = await db().webhookEvent.findMany({
    where: { accountId, type, seq: before === undefined ? undefined : { lt: before } },
    select: { id: true, type: true, createdAt: true, sample: true, seq: true },
    orderBy: { seq: 'desc' },
    take: PAGE_SIZE + 1,
  })
  const { rows, nextCursor } = pageOf(found, PAGE_SIZE, ({ seq }) => String(seq))
  const counts = await queryByIndex<DeliveryCounts & { eventId: string }>(
    'webhook-of-events',
    `SELECT d.event_id AS "eventId", ${DELIVERY_COUNTS} FROM webhook_delivery_state d WHERE d.event_id = ANY ($1::text[]) GROUP BY d.event_id`,
    [rows.map(({ id }) => id)],
  )
  const byEvent = new Map(counts.map(({ eventId, ...deliveries }) => [eventId, deliveries]))
  const events = rows.map(({ id, type, createdAt, sample }) => {
    return { eventId: id, eventType: type as EventType, createdAt, sample, deliveries: byEvent.get(id) ?? NO_DELIVERIES }
  })
  return { events, nextCursor }
}
