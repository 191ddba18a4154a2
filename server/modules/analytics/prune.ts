import { query } from '../../platform/database.ts'
import { HOURS_KEPT_DAYS, LOG_DAYS } from './schema.ts'

/** Rows per statement, so that its locks are short. */
const AT_ONCE = 5_000

/** Deletes log entries older than `LOG_DAYS` and hourly counters older than `HOURS_KEPT_DAYS`, in batches, until `signal` aborts. */
export async function pruneTraffic(signal: AbortSignal): Promise<void> {
  for (const [table, column, days] of [
    ['request_log', 'at', LOG_DAYS],
    ['traffic_hour', 'hour', HOURS_KEPT_DAYS],
  ] as const) {
    const text = `
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${column} < service_now() - make_interval(days => $1) LIMIT $2)) RETURNING 1 AS gone`
    let gone = AT_ONCE
    while (gone === AT_ONCE && !signal.aborted) gone = (await query(`prune-${table}`, text, [days, AT_ONCE])).length
  }
}
