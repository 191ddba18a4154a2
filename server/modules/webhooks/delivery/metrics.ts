import { query } from '../../../platform/database/database.ts'
import { gaugesFromDatabase } from '../../../platform/observe/metric-readings.ts'
import { counter, histogram } from '../../../platform/observe/metrics.ts'
import { QUEUE_HEADS } from './due-endpoints.ts'

export const attempts = counter('reelgate_webhook_attempts_total', 'Webhook delivery attempts, by result.', {
  result: ['delivered', 'refused', 'no_response'],
})

export const attemptDuration = histogram(
  'reelgate_webhook_attempt_duration_seconds',
  'Duration of webhook delivery attempts.',
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
)

export const attemptDelay = histogram(
  'reelgate_webhook_delay_seconds',
  'Delay of webhook delivery attempts: from when they were due until they started.',
  [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800],
)

/** Counts at most this many deliveries; more are reported as this number. */
const COUNTED = 100_000

export const WEBHOOK_METRICS = [
  attempts,
  attemptDuration,
  attemptDelay,
  ...gaugesFromDatabase(
    {
      reelgate_webhook_deliveries_pending: `Deliveries of webhooks that are not finished; ${COUNTED.toLocaleString('en')} for more.`,
      reelgate_webhook_oldest_due_seconds: 'How long the oldest due delivery has waited, by whether its endpoint’s last attempt failed.',
    },
    async () => {
      const { pending, due } = await readWebhookQueue()
      return {
        reelgate_webhook_deliveries_pending: pending,
        reelgate_webhook_oldest_due_seconds: due.map(({ endpoints, oldest }) => ({ labels: { endpoints }, value: oldest })),
      }
    },
  ),
]

/** Pending deliveries, counted up to a limit, and how many seconds the oldest due one has waited, by its endpoint's state. */
export async function readWebhookQueue(): Promise<{ pending: number; due: { endpoints: string; oldest: number }[] }> {
  const [row] = await query<{ pending: number }>('metric-webhooks-pending', PENDING, [COUNTED])
  return { pending: row?.pending ?? 0, due: await query<{ endpoints: string; oldest: number }>('metric-webhooks-due', DUE, []) }
}

const PENDING = 'SELECT count(*)::int AS pending FROM (SELECT 1 FROM webhook_queue LIMIT $1) AS counted'

const DUE = `
  ${QUEUE_HEADS},
  due AS (
    SELECT e.failing_since IS NOT NULL AS failing, queued.due_at
    FROM queued JOIN webhook_endpoint e ON e.id = queued.endpoint_id
    WHERE queued.due_at <= service_now() AND e.disabled_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM account a WHERE a.id = e.account_id AND a.suspended_at IS NOT NULL))
  SELECT endpoints, coalesce(extract(epoch FROM service_now() - min(due_at)), 0)::float8 AS oldest
  FROM (VALUES ('working', false), ('failing', true)) AS kind (endpoints, failing) LEFT JOIN due USING (failing)
  GROUP BY endpoints`
