import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { isRestoreUnfinished, UNFINISHED_RESTORE } from '../backup/unfinished-restore.ts'
import { connectionTo } from './connection.ts'
import { grantToService } from './database-grants.ts'
import { LOCK_TIMEOUT_MS, patiently, underMigrationLock } from './migration-lock.ts'
import { migrationNames, migrationsFolder } from './migration-names.ts'
import { applyRoutines, makeClocks } from './routines.ts'
import { keepTextIndexes } from './text-indexes.ts'

const LEDGER = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ, migration_name VARCHAR(255) NOT NULL,
  logs TEXT, rolled_back_at TIMESTAMPTZ, started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`

/** Names of what was applied. */
export interface Applied {
  migrations: string[]
  routines: string[]
}

/** Why the schema could not be updated, in words for the operator. */
export class MigrationError extends Error {}

interface Options {
  /** The role to grant rights on the tables, if another role owns them. */
  service?: string | undefined
  /** Ends the wait for another migrating process, and for tables in use. */
  signal?: AbortSignal | undefined
  /** Folder of the migrations, if not this build's. */
  folder?: string
  /** Applies only these migrations, and no routines: a restore fills tables before triggers exist. */
  only?: readonly string[]
  /** Set by a restore. Other callers refuse a database with an unfinished restore. */
  restores?: boolean
}

/**
 * Applies missing migrations, each in its own transaction, and keeps Prisma's ledger so that `prisma migrate status` agrees; then applies
 * changed routines. Does not need Prisma's engine at run time. Returns the names it applied. Errors: MigrationError, the reason of
 * `signal`, and connection errors.
 */
export function migrate(
  databaseUrl: string,
  { service, signal, folder = migrationsFolder(), only, restores = false }: Options = {},
): Promise<Applied> {
  return underMigrationLock(databaseUrl, signal, async (client) => {
    if (!restores) await refuseUnfinishedRestore(client)
    const done = await appliedMigrations(client)
    refuseUnknown(done, migrationNames(folder))
    await requireUnicode(client)
    await client.query(LEDGER)
    const migrations = migrationNames(folder).filter((name) => !done.includes(name) && (only?.includes(name) ?? true))
    for (const name of migrations) {
      await patiently(() => apply(client, folder, name), signal).catch((error: Error) => {
        throw new MigrationError(`Migration ${name} failed and was rolled back: ${error.message}`, { cause: error })
      })
    }
    if (only) return { migrations, routines: [] }
    const routines = await patiently(() => applyRoutines(client), signal).catch((error: Error) => {
      throw new MigrationError(`Routines failed and were rolled back: ${error.message}`, { cause: error })
    })
    await client.query('SELECT make_partitions()')
    await keepTextIndexes(client)
    // Under the lock: PostgreSQL refuses when two processes that start together change the same rights.
    if (service) await patiently(() => grantToService(client, service), signal)
    return { migrations, routines }
  })
}

/** Returns the names of this build's migrations that a database lacks. Errors: MigrationError, and connection errors. */
export async function missingMigrations(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client(connectionTo(databaseUrl))
  await client.connect()
  try {
    await refuseUnfinishedRestore(client)
    const done = await appliedMigrations(client)
    refuseUnknown(done, migrationNames())
    return migrationNames().filter((name) => !done.includes(name))
  } finally {
    await client.end()
  }
}

async function refuseUnfinishedRestore(client: pg.Client): Promise<void> {
  if (await isRestoreUnfinished(client)) throw new MigrationError(UNFINISHED_RESTORE)
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const ledger = await client.query<{ there: boolean }>(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`)
  if (!ledger.rows[0]?.there) return []
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name',
  )
  return rows.map(({ name }) => name)
}

/**
 * Refuses a database that this build cannot work with. Migrations of later builds only add, and are accepted, unless one that removes
 * something is named after a migration that builds must know since: `…_needs_<its time>`.
 */
function refuseUnknown(done: string[], known: string[]): void {
  const unknown = done.filter((name) => !known.includes(name))
  const [first] = unknown
  if (first === undefined) return
  const initial = known[0] as string
  if (first < initial)
    throw new MigrationError(
      'This database was created by an unreleased version of Reelgate and cannot be upgraded. Start with an empty DATA_DIR or database.',
    )
  const isNeeded = (name: string) => unknown.some((one) => one.endsWith(`_needs_${name.slice(0, 14)}`))
  const lacking = done.includes(initial) ? unknown.find(isNeeded) : first
  if (lacking !== undefined)
    throw new MigrationError(
      `This database was created by another version of Reelgate, which includes the migration ${lacking}. Start that version or a later one.`,
    )
}

/** Errors: MigrationError for a database whose encoding lacks letters, or does not know letters. */
async function requireUnicode(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>('SELECT getdatabaseencoding() AS encoding')
  const encoding = rows[0]?.encoding
  if (encoding !== 'UTF8') throw new MigrationError(`The database has the encoding ${encoding}. Create it with the encoding UTF8.`)
}

const CONCURRENTLY = /^(?:\s*--.*\n)*\s*(?:CREATE (?:UNIQUE )?|DROP |RE)INDEX CONCURRENTLY\b/i

async function apply(client: pg.Client, folder: string, name: string): Promise<void> {
  const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8')
  if (CONCURRENTLY.test(sql)) return applyConcurrently(client, name, sql)
  await client.query('BEGIN')
  try {
    await makeClocks(client)
    await client.query(sql)
    // A migration may drop what a routine created, such as a view in its way, so all routines are applied again.
    await client.query(`UPDATE routine_checksum SET checksum = ''`)
    await record(client, name, sql)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

/** Applies one statement that PostgreSQL refuses in a transaction. First drops what a failed or killed attempt left invalid. */
async function applyConcurrently(client: pg.Client, name: string, sql: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('DROP INDEX CONCURRENTLY %s', i.indexrelid::regclass) AS statement FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE NOT i.indisvalid AND c.relnamespace = 'public'::regnamespace`,
  )
  // These wait for older transactions and delay no requests in the meantime.
  await client.query('SET lock_timeout = 0')
  for (const statement of [...rows.map((row) => row.statement), sql]) await client.query(statement)
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`)
  await record(client, name, sql)
}

async function record(client: pg.Client, name: string, sql: string): Promise<void> {
  const checksum = createHash('sha256').update(sql).digest('hex')
  await client.query(
    'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)',
    [randomUUID(), checksum, name],
  )
}
