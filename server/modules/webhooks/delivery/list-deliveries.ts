import { type AccountCtx, hasPermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { EventType } from '../../../events.ts'
import { pageOf } from '../../../platform/database/cursor.ts'
import { db, queryByIndex } from '../../../platform/database/database.ts'
import { noSuchEndpoint } from '../endpoints/edit-endpoints.ts'
import { shownPayload } from '../endpoints/event-viewers.ts'
import type { DeliveriesInput, DeliveryInput } from '../endpoints/schema.ts'
import type { DeliveryStatus, RetrySchedule } from '../endpoints/state.ts'

/** The delivery of one event to one endpoint. */
export interface ListedDelivery {
  endpointId: string
  eventId: string
  eventType: EventType
  /** When the event happened. */
  createdAt: Date
  /** Whether it is a sample event. */
  sample: boolean
  status: DeliveryStatus
  /** Whether a dispatcher holds a lease on it. */
  sending: boolean
  /** Attempts since the last replay. */
  attemptCount: number
  /** Of its endpoint. */
  retrySchedule: RetrySchedule
  /** Why the last attempt failed, as text. */
  lastError: string | null
  /**
   * HTTP status and milliseconds of the last attempt. Null before the first one since the last replay. The status is null without a
   * response.
   */
  lastStatus: number | null
  lastDurationMs: number | null
  /** Due time of a pending delivery that is not leased. */
  nextAt: Date | null
  changedAt: Date
}

type Row = ListedDelivery & { id: string }

/* One statement, so that each delivery is read in one consistent state. */
const LISTED = `
  SELECT d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId", e.type AS "eventType", e.created_at AS "createdAt", e.sample,
    d.status, sending, d.attempt_count AS "attemptCount", d.last_error AS "lastError", last.status AS "lastStatus", last.duration_ms AS "lastDurationMs",
    (SELECT retry_schedule FROM webhook_endpoint o WHERE o.id = d.endpoint_id) AS "retrySchedule",
    CASE WHEN NOT sending THEN d.due_at END AS "nextAt", d.changed_at AS "changedAt"
  FROM webhook_delivery_state d JOIN webhook_event e ON e.id = d.event_id CROSS JOIN LATERAL (
    SELECT d.due_at IS NOT NULL AND EXISTS (
      SELECT FROM webhook_lease l WHERE l.endpoint_id = d.endpoint_id AND l.leased_until > service_now() AND d.id = ANY (l.delivery_ids)) AS sending) AS leased
  LEFT JOIN LATERAL (
    SELECT status, duration_ms FROM webhook_attempt a WHERE a.delivery_id = d.id AND a.replay = d.replay ORDER BY a.id DESC LIMIT 1) AS last ON true`

const listed = ({ id: _, ...row }: Row): ListedDelivery => row

/** All deliveries of an event. */
export async function deliveriesOf({ accountId }: AccountCtx, eventId: string): Promise<ListedDelivery[]> {
  const rows = await queryByIndex<Row>('webhook-deliveries-of', `${LISTED} WHERE d.account_id = $1 AND d.event_id = $2 ORDER BY d.id`, [
    accountId,
    eventId,
  ])
  return rows.map(listed)
}

const WITH_STATUS = {
  PENDING: 'd.queued_id IS NOT NULL',
  DELIVERED: 'd.queued_id IS NULL AND d.failure_reason IS NULL',
  DEAD: 'd.failure_reason IS NOT NULL',
} as const satisfies Record<DeliveryStatus, string>

/** Lists the deliveries to one endpoint, newest first, in pages of 50. Errors: NOT_FOUND, INVALID_REQUEST. */
export async function listDeliveries(
  ctx: AccountCtx,
  { endpointId, status, cursor }: DeliveriesInput,
): Promise<{ deliveries: ListedDelivery[]; nextCursor: string | null }> {
  const { accountId } = ctx
  const before = parseRowCursor(cursor)
  if ((await db().webhookEndpoint.count({ where: { id: endpointId, accountId } })) === 0) throw noSuchEndpoint()
  const found = await queryByIndex<Row>(
    `webhook-deliveries-${status ?? 'all'}`,
    `${LISTED} WHERE d.account_id = $1 AND d.endpoint_id = $2 AND d.id < COALESCE($3::bigint, ${2n ** 63n - 1n}) AND ${status ? WITH_STATUS[status] : 'true'}
     ORDER BY d.id DESC LIMIT ${PAGE_SIZE + 1}`,
    [accountId, endpointId, before?.toString()],
  )
  const { rows, nextCursor } = pageOf(found, PAGE_SIZE, ({ id }) => id)
  return { deliveries: rows.map(listed), nextCursor }
}

/** An attempt as the dashboard shows it. */
export interface ListedAttempt {
  id: string
  /** 0 for the original delivery, then the number of the replay. */
  replay: number
  number: number
  at: Date
  durationMs: number
  /** The signature sent. Null without the permission to change webhooks, because body and signature can be sent again. */
  signature: string | null
  status: number | null
  headers: Record<string, string>
  /** The start of the response's body. */
  body: string
  /** Why it failed. Null if it was delivered. */
  error: string | null
  nextAt: Date | null
}

export interface DeliveryDetail extends ListedDelivery {
  url: string
  /** The request's body, byte for byte, while the viewer that it is about is kept. */
  payload: string
  /** The last 50, newest first. */
  attempts: ListedAttempt[]
}

export const noSuchDelivery = () => new ServiceError('NOT_FOUND', { message: 'Your account has no such delivery.' })

/** Returns one delivery with its attempts. Errors: NOT_FOUND. */
export async function getDelivery(ctx: AccountCtx, { endpointId, eventId }: DeliveryInput): Promise<DeliveryDetail> {
  const [shown] = (await deliveriesOf(ctx, eventId)).filter((one) => one.endpointId === endpointId)
  const row = await db().webhookDelivery.findFirst({
    where: { accountId: ctx.accountId, endpointId, eventId },
    select: {
      event: { select: { payload: true } },
      endpoint: { select: { url: true } },
      attempts: { orderBy: { id: 'desc' }, take: 50 },
    },
  })
  if (!shown || !row) throw noSuchDelivery()
  const signs = hasPermission(ctx, 'webhooks.change')
  const attempts = row.attempts.map(({ id, deliveryId: _, headers, body, signature, ...one }) => ({
    ...one,
    signature: signs ? signature : null,
    id: String(id),
    headers: headers ? (JSON.parse(headers) as Record<string, string>) : {},
    body: body ?? '',
  }))
  return { ...shown, url: row.endpoint.url, payload: await shownPayload(ctx, row.event.payload), attempts }
}

/** Rows of one page of the lists of events and deliveries. */
export const PAGE_SIZE = 50

/** Parses a cursor into the number of the previous page's last row. Errors: INVALID_REQUEST for a malformed cursor. */
export function parseRowCursor(cursor: string | undefined): bigint | undefined {
  if (cursor === undefined) return undefined
  if (/^\d{1,18}$/.test(cursor)) return BigInt(cursor)
  throw new ServiceError('INVALID_REQUEST', { message: 'This page no longer exists. Reload the list.' })
}
