import { env } from '../../platform/config/config.ts'
import { query } from '../../platform/database/database.ts'
import { deleteInSlices } from '../../platform/database/delete-slices.ts'
import { log } from '../../platform/observe/log.ts'
import { HOURS_KEPT_DAYS, LOG_DAYS } from './limits.ts'

/** SQL: how long the bodies of calls with test keys are kept. */
export const BODIES_KEPT = `interval '24 hours'`

/** By key: the log has an index for it. */
const FORGET_BODIES = `
  UPDATE request_log SET bodies = NULL WHERE key_id IN (SELECT id FROM api_key WHERE environment = 'TEST')
    AND at < service_now() - ${BODIES_KEPT} AND bodies IS NOT NULL`

/**
 * Creates the traffic tables' partitions for the coming days and months, and drops those whose rows are all past their retention. At most
 * one day of the request log and one month of the other tables stay longer.
 */
export async function pruneTraffic(): Promise<void> {
  await query('make-partitions', 'SELECT make_partitions()', [])
  await drop('request_log', `${LOG_DAYS} days`)
  await query('prune-bodies', FORGET_BODIES, [])
  await drop('traffic_hour', `${HOURS_KEPT_DAYS} days`)
  await deleteInSlices('viewing_start', "at < service_now() - interval '1 day'")
  const months = env().TRAFFIC_RETENTION_MONTHS
  if (months === undefined) return
  for (const table of BY_MONTH) await drop(table, `${months} months`)
}

const BY_MONTH = [
  'traffic_day',
  'view_day',
  'viewer_day',
  'account_viewer_day',
  'account_viewer_pair_day',
  'delivered_day',
  'account_delivered_day',
  'account_stored_day',
]

const BEGINNING = `((service_now() AT TIME ZONE 'UTC') - $1::interval)`

async function drop(table: string, kept: string): Promise<void> {
  const [row] = await query<{ dropped: string[] }>(
    `drop-partitions-${table}`,
    `SELECT drop_partitions('${table}', ${BEGINNING} AT TIME ZONE 'UTC') AS dropped`,
    [kept],
  )
  if (row && row.dropped.length > 0) log().info({ partitions: row.dropped }, 'dropped traffic data past its retention')
}
