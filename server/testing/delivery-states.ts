import type { DeliveryStatus } from '../modules/webhooks/endpoints/state.ts'
import { query } from '../platform/database/database.ts'

/** The state of a delivery, with its queue row and its attempts. */
export interface DeliveryState {
  id: string
  eventId: string
  endpointId: string
  replay: number
  status: DeliveryStatus
  attemptCount: number
  lastError: string | null
  queued: { attemptCount: number; replay: number; dueMs: number } | null
  attempts: { number: number; status: number | null; error: string | null }[]
}

/** Returns all deliveries of an endpoint, in the order of their creation. */
export const deliveryStates = (endpointId: string): Promise<DeliveryState[]> =>
  query(
    '',
    `SELECT d.id, event_id AS "eventId", endpoint_id AS "endpointId", replay, status, attempt_count AS "attemptCount",
       last_error AS "lastError",
       (SELECT json_build_object('attemptCount', q.attempt_count, 'replay', q.replay, 'dueMs', date_part('epoch', q.due_at) * 1000)
        FROM webhook_queue q WHERE q.delivery_id = d.id) AS queued,
       ARRAY(SELECT json_build_object('number', number, 'status', a.status, 'error', error)
        FROM webhook_attempt a WHERE a.delivery_id = d.id ORDER BY a.id) AS attempts
     FROM webhook_delivery_state d WHERE endpoint_id = $1 ORDER BY d.id`,
    [endpointId],
  )

/** Counts the deliveries of an endpoint by status. */
export async function deliveryStatuses(endpointId: string): Promise<Partial<Record<DeliveryStatus, number>>> {
  const rows = await query<{ status: DeliveryStatus; count: number }>(
    '',
    'SELECT status, count(*)::int AS count FROM webhook_delivery_state WHERE endpoint_id = $1 GROUP BY status',
    [endpointId],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}
