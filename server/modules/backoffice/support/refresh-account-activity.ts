import { services } from '../../../platform/container.ts'
import { query, type Runner, transaction } from '../../../platform/database/database.ts'
import { log } from '../../../platform/observe/log.ts'

/** Age of the sums in seconds from which a view refreshes them. */
const FRESH_SEC = 60
const REFRESH_LOCK = 72_707_371

/** When the sums were computed; `isStale` while they are being refreshed. */
export interface ActivityState {
  asOf: Date
  isStale: boolean
}

/**
 * Refreshes the sums of all accounts if they are older than a minute, in the background; waits only for the very first computation.
 * Without views it costs nothing.
 */
export async function refreshAccountActivity(): Promise<ActivityState> {
  const known = await lastRefresh()
  if (known?.fresh) return { asOf: known.at, isStale: false }
  if (!known) return { asOf: await computeSums(), isStale: false }
  void refreshInBackground()
  return { asOf: known.at, isStale: true }
}

declare module '../../../platform/container.ts' {
  interface Services {
    /** The refresh that runs in the background. */
    accountActivityRefresh: { work?: Promise<unknown> }
  }
}

function refreshInBackground(): Promise<unknown> {
  const holder = services().accountActivityRefresh
  holder.work ??= computeSums()
    .catch((error: Error) => log().warn({ err: error.message }, 'the totals of all accounts could not be refreshed'))
    .finally(() => (holder.work = undefined))
  return holder.work
}

/** Computes the sums; of several processes one does, and the others find them fresh. */
const computeSums = () =>
  transaction(async (on) => {
    await query('account-activity-lock', 'SELECT pg_advisory_xact_lock($1)', [REFRESH_LOCK], on)
    const done = await lastRefresh(on)
    if (done?.fresh) return done.at
    await query('account-activity-sums', SUMS, [], on)
    const [row] = await query<{ at: Date }>('account-activity-refreshed', REFRESHED, [], on)
    return (row as { at: Date }).at
  })

const REFRESHED = 'UPDATE installation SET activity_refreshed_at = service_now() RETURNING activity_refreshed_at AS at'

/** Returns when the sums were computed; undefined before the first time. */
export async function lastRefresh(on?: Runner): Promise<{ at: Date; fresh: boolean } | undefined> {
  const [row] = await query<{ at: Date; fresh: boolean }>(
    'account-activity-refresh',
    `SELECT activity_refreshed_at AS at, abs(extract(epoch FROM service_clock() - activity_refreshed_at)) < $1 AS fresh FROM installation
     WHERE activity_refreshed_at IS NOT NULL`,
    [FRESH_SEC],
    on,
  )
  return row
}

/** Returns the SQL of a sum over the last `days` UTC days, today included. */
const overDays = (column: string, days: number) => `coalesce(sum(${column}) FILTER (WHERE d.day > today.day - ${days}), 0)`
const each = (write: (days: number) => string) => [1, 7, 30].map(write).join(', ')
const COLUMNS = ['requests', 'issued', 'refused', 'failed'].flatMap((name) => [1, 7, 30].map((days) => `${name}_${days}`))

/** Writes only changed rows. */
const SUMS = `
  WITH today AS MATERIALIZED (SELECT (service_now() AT TIME ZONE 'UTC')::date AS day),
  used AS (
    SELECT k.account_id, ${each((days) => `${overDays('d.issued', days)} AS issued_${days}`)},
      ${each((days) => `${overDays('d.refused', days)} AS refused_${days}`)}
    FROM today, key_day d JOIN api_key k ON k.id = d.key_id WHERE d.day > (SELECT day - 30 FROM today) GROUP BY k.account_id),
  -- The counters of countUsage: those of keys lack token exchanges.
  called AS (
    SELECT d.account_id, ${each((days) => `${overDays('d.requests', days)} AS requests_${days}`)}
    FROM today, traffic_day d WHERE d.day > (SELECT day - 30 FROM today) GROUP BY d.account_id),
  failures AS (
    SELECT v.account_id, ${each((days) => `count(*) FILTER (WHERE l.at >= (today.day - ${days - 1})::timestamp AT TIME ZONE 'UTC') AS failed_${days}`)}
    FROM today, video_log l JOIN video v ON v.id = l.video_id
    WHERE l.step = 'fail' AND l.at >= ((SELECT day - 29 FROM today)::timestamp AT TIME ZONE 'UTC') GROUP BY v.account_id),
  stored AS (SELECT account_id, sum(original_bytes + rendition_bytes) AS stored FROM storage_count GROUP BY account_id)
  INSERT INTO account_activity AS known (account_id, ${COLUMNS.join(', ')}, stored)
  SELECT a.id, ${COLUMNS.map((column) => `coalesce(${column}, 0)`).join(', ')}, coalesce(stored, 0)
  FROM account a LEFT JOIN used ON used.account_id = a.id LEFT JOIN called ON called.account_id = a.id
    LEFT JOIN failures ON failures.account_id = a.id LEFT JOIN stored ON stored.account_id = a.id
  WHERE a.deleted_at IS NULL
  ON CONFLICT (account_id) DO UPDATE SET ${[...COLUMNS, 'stored'].map((column) => `${column} = EXCLUDED.${column}`).join(', ')}
  WHERE (known.stored, ${COLUMNS.map((column) => `known.${column}`).join(', ')}) IS DISTINCT FROM
    (EXCLUDED.stored, ${COLUMNS.map((column) => `EXCLUDED.${column}`).join(', ')})`
