import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { EVENT_TYPES, type EventPayload, type EventType, sampleData } from '../../../events.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { pageOf } from '../../../platform/database/cursor.ts'
import { db, queryByIndex } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { requireRecordSpace } from '../../identity/accounts/records.ts'
import { deliveriesOf, type ListedDelivery, PAGE_SIZE, parseRowCursor } from '../delivery/list-deliveries.ts'
import { shownPayload } from './event-viewers.ts'
import { DELIVERY_COUNTS, type DeliveryCounts, NO_DELIVERIES } from './list-endpoints.ts'
import type { EventLogInput } from './schema.ts'

/** An event in the log with its deliveries counted by status. */
export interface LoggedEvent {
  eventId: string
  eventType: EventType
  createdAt: Date
  sample: boolean
  /** All 0 if no endpoint is subscribed to it. */
  deliveries: DeliveryCounts
}

/** Lists all events of the account, with or without deliveries, newest first, in pages of 50. Errors: INVALID_REQUEST. */
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

interface EventDetail {
  eventId: string
  eventType: EventType
  createdAt: Date
  sample: boolean
  payload: string
  deliveries: (ListedDelivery & { url: string })[]
}

/** Returns one event with its payload and its deliveries. Errors: NOT_FOUND. */
export async function getEvent(ctx: AccountCtx, { eventId }: { eventId: string }): Promise<EventDetail> {
  const row = await db().webhookEvent.findFirst({
    where: { id: eventId, accountId: ctx.accountId },
    select: {
      id: true,
      type: true,
      createdAt: true,
      sample: true,
      payload: true,
      deliveries: { select: { endpointId: true, endpoint: { select: { url: true } } } },
    },
  })
  if (!row) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such event.' })
  const { id, type, createdAt, sample, payload, deliveries } = row
  const urls = new Map(deliveries.map(({ endpointId, endpoint }) => [endpointId, endpoint.url]))
  const sent = (await deliveriesOf(ctx, eventId)).map((one) => ({ ...one, url: urls.get(one.endpointId) ?? '' }))
  return { eventId: id, eventType: type as EventType, createdAt, sample, payload: await shownPayload(ctx, payload), deliveries: sent }
}

const isType = (text: string): text is EventType => (EVENT_TYPES as string[]).includes(text)

/**
 * Emits a type's sample event on the event stream. No registered endpoint receives it, so a key with read access may call this. Errors:
 * INVALID_REQUEST for an unknown type, TOO_MANY_ATTEMPTS beyond the account's limit of events.
 */
export async function triggerSample(ctx: AccountCtx, { type }: { type: string }): Promise<EventPayload> {
  if (!isType(type)) {
    const message = `Unknown event type. Use one of ${EVENT_TYPES.join(', ')}.`
    throw new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'path', path: 'eventType', message }] })
  }
  await requireRecordSpace(db(), ctx.accountId, 'eventBytes', 0)
  const eventId = newId('evt')
  await db().$queryRaw`
    SELECT emit_event(${eventId}, ${ctx.accountId}, ${type}, ${JSON.stringify(sampleData(type, new Date(serviceNow())))}::json, NULL, true)`
  const { payload } = await db().webhookEvent.findFirstOrThrow({
    where: { id: eventId, accountId: ctx.accountId },
    select: { payload: true },
  })
  return JSON.parse(payload) as EventPayload
}
