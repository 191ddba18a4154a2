import { env, givenSetting } from '../../../platform/config/config.ts'
import { installedBuild } from '../../../platform/config/installed-build.ts'
import { query } from '../../../platform/database/database.ts'
import { replicaBehindSec } from '../../../platform/database/read-replica.ts'

/** State of the database. Sizes in bytes, durations in seconds. */
export interface DatabaseStatus {
  /** Whether this installation starts PostgreSQL itself. */
  isEmbedded: boolean
  version: string
  size: number
  connections: number
  maxConnections: number
  /** Age of the oldest transaction that the service's role can see; null without any. */
  oldestTransaction: number | null
  /** Standbys that read from this server; `lag` is null where the service's role may not see it. */
  standbys: { name: string; state: string | null; lag: number | null }[]
  /** How far DATABASE_READ_URL is behind: null when it does not respond, undefined when it is not set. */
  replicaBehind: number | null | undefined
  migrations: { applied: number; missing: string[] }
}

interface Row extends Record<string, unknown> {
  version: string
  size: number
  connections: number
  max: number
  oldest: number | null
  applied: string[]
}

const DATABASE = `
  SELECT current_setting('server_version') AS version, pg_database_size(current_database())::float8 AS size,
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS connections,
    current_setting('max_connections')::int AS max,
    (SELECT extract(epoch FROM clock_timestamp() - min(xact_start))::float8 FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend') AS oldest,
    ARRAY(SELECT migration_name::text FROM _prisma_migrations WHERE finished_at IS NOT NULL) AS applied`

const STANDBYS = `
  SELECT coalesce(nullif(application_name, ''), 'standby') AS name, state, extract(epoch FROM replay_lag)::float8 AS lag
  FROM pg_stat_replication ORDER BY application_name, pid LIMIT 20`

export async function readDatabase(): Promise<DatabaseStatus> {
  const [[row], standbys, replicaBehind] = await Promise.all([
    query<Row>('operator-database', DATABASE, []),
    query<DatabaseStatus['standbys'][number] & Record<string, unknown>>('operator-standbys', STANDBYS, []),
    replicaBehindSec(),
  ])
  const { version, size, connections, max, oldest, applied } = row as Row
  const missing = installedBuild().migrations.filter((name) => !applied.includes(name))
  const isEmbedded = env().DATABASE_URL === undefined || givenSetting('DATABASE_URL') === undefined
  return {
    ...{ isEmbedded, version, size, connections, maxConnections: max, oldestTransaction: oldest, standbys, replicaBehind },
    migrations: { applied: applied.length, missing },
  }
}
