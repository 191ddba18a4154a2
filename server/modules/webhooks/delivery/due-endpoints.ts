import { query } from '../../../platform/database/database.ts'
import type { RetrySchedule } from '../endpoints/state.ts'

/** An endpoint with due deliveries. */
export interface DueEndpoint {
  id: string
  accountId: string
  url: string
  /** Sealed. `previousSecret` is set during the rotation overlap. */
  secret: Buffer
  previousSecret: Buffer | null
  retrySchedule: RetrySchedule
  /** Whether its last attempt failed. */
  failing: boolean
}

/**
 * Returns the enabled endpoints with due deliveries of accounts that are not suspended: working endpoints before failing ones, then by the
 * longest wait. Reads the leased deliveries at the head of each queue and one more, however many are queued.
 */
export const dueEndpoints = (): Promise<DueEndpoint[]> => query<DueEndpoint>('webhook-due-endpoints', DUE_ENDPOINTS, [])

/** SQL: `queued`, each endpoint's first delivery that no dispatcher has leased. Reads one row per endpoint. */
export const QUEUE_HEADS = `
  WITH RECURSIVE held AS MATERIALIZED (SELECT unnest(delivery_ids) AS id FROM webhook_lease WHERE leased_until > service_now()),
  queued AS (
    (SELECT endpoint_id, due_at FROM webhook_queue WHERE delivery_id NOT IN (SELECT id FROM held) ORDER BY endpoint_id, due_at LIMIT 1)
    UNION ALL
    SELECT next.endpoint_id, next.due_at FROM queued CROSS JOIN LATERAL (
      SELECT endpoint_id, due_at FROM webhook_queue
      WHERE endpoint_id > queued.endpoint_id AND delivery_id NOT IN (SELECT id FROM held) ORDER BY endpoint_id, due_at LIMIT 1) AS next)`

const DUE_ENDPOINTS = `
  ${QUEUE_HEADS}
  SELECT e.id, e.account_id AS "accountId", e.url, e.secret, e.retry_schedule AS "retrySchedule", e.failing_since IS NOT NULL AS failing,
    CASE WHEN e.previous_until > service_now() THEN e.previous_secret END AS "previousSecret"
  FROM queued JOIN webhook_endpoint e ON e.id = queued.endpoint_id
  WHERE queued.due_at <= service_now() AND e.disabled_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM account a WHERE a.id = e.account_id AND a.suspended_at IS NOT NULL)
  ORDER BY failing, queued.due_at`
