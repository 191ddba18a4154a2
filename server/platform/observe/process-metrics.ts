import { env } from '../config/config.ts'
import { version } from '../config/version.ts'
import { serviceClockAheadMs } from '../database/clock.ts'
import { pool, query, vital, waitingForConnections } from '../database/database.ts'
import { notifications } from '../database/notifications.ts'
import { freeBytesByVolume } from '../files/disk-space.ts'
import { SILENT_SEC } from '../process-registry.ts'
import { gaugesFromDatabase } from './metric-readings.ts'
import { gauge } from './metrics.ts'

const labelled = (label: string, values: Record<string, number>) =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))

/** What a process knows about itself, its connections and its disks. */
export const PROCESS_METRICS = [
  gauge(
    'reelgate_build_info',
    'Always 1, with the version and the roles of the process.',
    () => [{ value: 1, labels: { version: version(), node: process.version, roles: env().ROLES.join(',') } }],
    'first',
  ),
  gauge('reelgate_database_pool_connections', 'Open connections of the database pool, by state.', () => {
    const [total, idle] = [pool().totalCount + vital().totalCount, pool().idleCount + vital().idleCount]
    return labelled('state', { in_use: total - idle, idle })
  }),
  gauge('reelgate_database_pool_waiting', 'Statements waiting for a connection from the pool.', waitingForConnections),
  gauge('reelgate_database_pool_limit', 'Maximum number of connections in the pool (DATABASE_POOL).', () => env().DATABASE_POOL),
  gauge('reelgate_listener_live', 'Whether change notices arrive (1). Without them, caches are off.', () => liveness()?.live, 'min'),
  gauge(
    'reelgate_listener_heartbeat_age_seconds',
    'Time since the change listener last heard its own notice.',
    () => liveness()?.ageSec,
    'max',
  ),
  gauge(
    'reelgate_database_clock_ahead_seconds',
    'How far the database clock is ahead of this process.',
    () => serviceClockAheadMs() / 1_000,
    'max',
  ),
  gauge(
    'reelgate_disk_free_bytes',
    'Free bytes on the volume of each folder in DATA_DIR.',
    async () => labelled('volume', await freeBytesByVolume()),
    'min',
  ),
  gauge(
    'reelgate_disk_reserve_bytes',
    'Uploads and transcoding stop below this many free bytes (STORAGE_RESERVE_BYTES).',
    () => env().STORAGE_RESERVE_BYTES,
    'max',
  ),
  ...gaugesFromDatabase(
    {
      reelgate_processes: 'Running processes by role, according to their heartbeats.',
      reelgate_process_versions: 'Number of versions among the running processes.',
    },
    async () => {
      const rows = await query<{ role: string; processes: number; versions: number }>('metric-processes', PROCESSES, [SILENT_SEC])
      return {
        reelgate_processes: rows.map(({ role, processes }) => ({ labels: { role_name: role }, value: processes })),
        reelgate_process_versions: rows[0]?.versions,
      }
    },
  ),
]

/** Undefined in a process without a change listener: one that only supervises web processes. */
function liveness(): { live: number; ageSec: number } | undefined {
  const { live, heardAt } = notifications()
  return heardAt === undefined ? undefined : { live: Number(live), ageSec: (performance.now() - heardAt) / 1_000 }
}

const PROCESSES = `
  WITH alive AS (SELECT roles, version FROM process WHERE heartbeat_at > service_clock() - make_interval(secs => $1))
  SELECT role, (SELECT count(*)::int FROM alive WHERE role = ANY (roles)) AS processes,
    (SELECT count(DISTINCT version)::int FROM alive) AS versions
  FROM unnest('{web,worker}'::text[]) AS role`
