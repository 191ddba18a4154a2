import { db, query } from '../../../platform/database/database.ts'
import { readLagging } from '../../../platform/database/read-replica.ts'
import { type OperatorCtx, requireCurrentOperator } from './roles.ts'

/** What all accounts did on a UTC day. Sizes in bytes, durations in seconds. */
export interface TrendDay {
  /** `YYYY-MM-DD`. */
  at: string
  requests: number
  /** Responses 4xx and 5xx. */
  clientErrors: number
  serverErrors: number
  failedTranscodes: number
  /** How long the videos that workers began that day had waited; null without one. */
  wait: { p50: number; p95: number } | null
  /** What accounts stored; null until the day is recorded. */
  stored: { originals: number; renditions: number; others: number } | null
}

/** Days of the trends, today included. */
const DAYS = 30

/**
 * Returns the last 30 UTC days of the installation, oldest first; the last one still runs. Leaves out what was deleted with its account or
 * video since. A replica may be some seconds behind. Errors: as `requireCurrentOperator`.
 */
export async function installationTrends(ctx: OperatorCtx): Promise<TrendDay[]> {
  await requireCurrentOperator(db(), ctx)
  return readLagging(({ on }) => query<TrendDay & { [column: string]: unknown }>('operator-trends', TRENDS, [DAYS], on))
}

const TRENDS = `
  WITH today AS MATERIALIZED (SELECT (service_now() AT TIME ZONE 'UTC')::date AS day),
  first AS MATERIALIZED (SELECT day - $1::int + 1 AS day FROM today),
  days AS (SELECT first.day + n AS day FROM first, generate_series(0, $1::int - 1) AS n),
  calls AS (
    SELECT day, sum(requests) AS requests, sum(requests) FILTER (WHERE status BETWEEN 400 AND 499) AS client_errors,
      sum(requests) FILTER (WHERE status >= 500) AS server_errors
    FROM traffic_day WHERE day >= (SELECT day FROM first) GROUP BY day),
  failures AS (
    SELECT (at AT TIME ZONE 'UTC')::date AS day, count(*) AS failed FROM video_log
    WHERE step = 'fail' AND at >= (SELECT day FROM first)::timestamp AT TIME ZONE 'UTC' GROUP BY 1),
  waits AS (
    SELECT day, json_build_object('p50', percentile_cont(0.5) WITHIN GROUP (ORDER BY waited),
      'p95', percentile_cont(0.95) WITHIN GROUP (ORDER BY waited)) AS wait
    FROM (SELECT (started_at AT TIME ZONE 'UTC')::date AS day, extract(epoch FROM started_at - created_at)::float8 AS waited FROM media
      WHERE started_at >= (SELECT day FROM first)::timestamp AT TIME ZONE 'UTC' AND attempts = 1) AS begun
    GROUP BY day),
  stored AS (
    SELECT day, json_build_object('originals', sum(original_bytes), 'others', sum(other_bytes), 'renditions', sum(
      (SELECT coalesce(sum((one ->> 'bytes')::numeric), 0) FROM jsonb_array_elements(renditions) AS one))) AS stored
    FROM account_stored_day WHERE day >= (SELECT day FROM first) GROUP BY day)
  SELECT to_char(day, 'YYYY-MM-DD') AS at, coalesce(requests, 0)::float8 AS requests, coalesce(client_errors, 0)::float8 AS "clientErrors",
    coalesce(server_errors, 0)::float8 AS "serverErrors", coalesce(failed, 0)::float8 AS "failedTranscodes", wait, stored
  FROM days LEFT JOIN calls USING (day) LEFT JOIN failures USING (day) LEFT JOIN waits USING (day) LEFT JOIN stored USING (day) ORDER BY day`
