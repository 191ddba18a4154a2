import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { grantToService } from './database-grants.ts'
import { applyRoutines, makeClocks } from './routines.ts'

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

/** Names of what was applied. */
export interface Applied {
  migrations: string[]
  routines: string[]
}

/** Why the schema could not be brought up to date, in words for the operator. */
export class MigrationError extends Error {}

/**
 * Applies what is missing, each migration in a transaction of its own, and keeps Prisma's ledger so that
 * `prisma migrate status` agrees; then the routines that differ. Prisma's own engine is not needed at run time. Returns the names applied.
 * `service` is the role that gets rights on the tables, where it is another than the one of `databaseUrl`, which owns them.
 * Errors: MigrationError, and those of the connection.
 */
export async function migrate(databaseUrl: string, { service }: { service?: string | undefined } = {}): Promise<Applied> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK])
    const done = await appliedMigrations(client)
    refuseUnknown(done)
    await client.query(LEDGER)
    const migrations = migrationNames().filter((name) => !done.includes(name))
    for (const name of migrations) await apply(client, name)
    const routines = await applyRoutines(client).catch((error: Error) => {
      throw new MigrationError(`Routines failed and were rolled back: ${error.message}`, { cause: error })
    })
    await client.query('SELECT make_partitions()')
    // Under the lock: two processes that start together would change the same rights at once, which PostgreSQL refuses.
    if (service) await grantToService(client, service)
    return { migrations, routines }
  } finally {
    await client.end()
  }
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const ledger = await client.query<{ there: boolean }>(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`)
  if (!ledger.rows[0]?.there) return []
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name',
  )
  return rows.map(({ name }) => name)
}

/** A database whose tables this build does not know is left as it is. */
function refuseUnknown(done: string[]): void {
  const known = migrationNames()
  const unknown = done.find((name) => !known.includes(name))
  if (!unknown) return
  throw new MigrationError(
    unknown < (known[0] as string)
      ? 'This database was created by an unreleased version of Reelgate and cannot be upgraded. Start with an empty DATA_DIR or database.'
      : `This database was created by another version of Reelgate, which includes the migration ${unknown}. Start that version or a later one.`,
  )
}

async function apply(client: pg.Client, name: string): Promise<void> {
  const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8')
  const checksum = createHash('sha256').update(sql).digest('hex')
  await client.query('BEGIN')
  try {
    await makeClocks(client)
    await client.query(sql)
    // A migration may drop what a routine made, such as a view in its way: all are applied again.
    await client.query(`UPDATE routine_checksum SET checksum = ''`)
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)',
      [randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw new MigrationError(`Migration ${name} failed and was rolled back: ${(error as Error).message}`, { cause: error })
  }
}
