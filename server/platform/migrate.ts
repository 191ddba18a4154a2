import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { grantToService } from './database-grants.ts'

/** The lock that `prisma migrate deploy` takes, so that the two never run together. */
const MIGRATION_LOCK = 72_707_369

const LEDGER = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL,
  logs TEXT, rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`

const folder = join(import.meta.dirname, '../../prisma/migrations')

/** Names of the migrations this build brings, in order. */
export const migrationNames = () =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()

/**
 * Applies what is missing, each migration in a transaction of its own, and keeps Prisma's ledger so that
 * `prisma migrate status` agrees. Prisma's own engine is not needed at run time. Returns the names applied. `service` is the role that
 * gets rights on the tables, where it is another than the one of `databaseUrl`, which owns them.
 */
export async function migrate(databaseUrl: string, { service }: { service?: string | undefined } = {}): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(LEDGER)
    const { rows } = await client.query<{ migration_name: string }>(
      'SELECT migration_name FROM _prisma_migrations WHERE rolled_back_at IS NULL',
    )
    const done = new Set(rows.map((row) => row.migration_name))
    const missing = migrationNames().filter((name) => !done.has(name))
    for (const name of missing) await apply(client, name)
    // Under the lock: two processes that start together would change the same rights at once, which PostgreSQL refuses.
    if (service) await grantToService(client, service)
    return missing
  } finally {
    await client.end()
  }
}

async function apply(client: pg.Client, name: string): Promise<void> {
  const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8')
  const checksum = createHash('sha256').update(sql).digest('hex')
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)',
      [randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw new Error(`Migration ${name} failed and was rolled back: ${(error as Error).message}`, { cause: error })
  }
}
