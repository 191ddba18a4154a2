import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { z } from 'zod'
import { migrationNames } from '../database/migration-names.ts'
import { routinesHash } from '../database/routines.ts'
import type { Storage } from '../storage/storage-port.ts'
import { partSchema, storeParts } from './parts.ts'

/** Tables that migrations and routines write, which a restore applies; their rows are those of the build. */
const OF_THE_BUILD = ['_prisma_migrations', 'routine_checksum']

/** What a backup holds of a database. 64-bit counts are text. */
export const databaseDump = z.object({
  snapshotAt: z.iso.datetime(),
  server: z.string(),
  migrations: z.array(z.string()),
  /** Of the build that made the backup. A restore applies its own routines. */
  routines: z.string(),
  /** The first transaction after the snapshot. */
  nextTransaction: z.string(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number().int(), parts: z.array(partSchema) })),
  partitions: z.array(z.object({ name: z.string(), parent: z.string(), bound: z.string() })),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), called: z.boolean() })),
})
export type DatabaseDump = z.output<typeof databaseDump>

/** Starts the transaction of a backup: one snapshot, in a text format that every PostgreSQL reads the same way. */
export const BEGIN_SNAPSHOT = `
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL bytea_output = 'hex';
  SET LOCAL extra_float_digits = 1; SET LOCAL search_path = public`

/**
 * Stores every table of the schema under `prefix` (which ends with a slash) as `COPY` text, in the snapshot of the client's transaction
 * (BEGIN_SNAPSHOT). Leaves out definitions: a restore applies the build's migrations and routines.
 */
export async function dumpDatabase(client: pg.ClientBase, store: Storage, prefix: string, signal: AbortSignal): Promise<DatabaseDump> {
  const rowsOf = async <Row>(sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows as Row[]
  const [about] = await rowsOf<Pick<DatabaseDump, 'server' | 'nextTransaction'> & { at: Date }>(ABOUT)
  const applied = await rowsOf<{ name: string }>(APPLIED)
  const tables: DatabaseDump['tables'] = []
  for (const { name, columns } of await rowsOf<{ name: string; columns: string[] }>(TABLES, [OF_THE_BUILD])) {
    signal.throwIfAborted()
    const [{ filled } = { filled: false }] = await rowsOf<{ filled: boolean }>(`SELECT EXISTS (SELECT FROM ${quoted(name)}) AS filled`)
    if (!filled) {
      tables.push({ name, columns, rows: 0, parts: [] })
      continue
    }
    const content = client.query(copyTo(`COPY (SELECT ${columns.map(quoted).join(', ')} FROM ${quoted(name)}) TO STDOUT`))
    const parts = await storeParts(store, `${prefix}${name.replaceAll(/[^\w-]/g, '-')}.`, content)
    tables.push({ name, columns, rows: content.rowCount, parts })
  }
  const partitions = await rowsOf<DatabaseDump['partitions'][number]>(PARTITIONS)
  const sequences = await rowsOf<DatabaseDump['sequences'][number]>(SEQUENCES)
  const known = new Set(migrationNames())
  const unknown = applied.find(({ name }) => !known.has(name))
  if (unknown) throw new Error(`The database has the migration ${unknown.name}, which this version does not know.`)
  const { at, server = '', nextTransaction = '0' } = about ?? { at: new Date() }
  const migrations = applied.map(({ name }) => name)
  return { snapshotAt: at.toISOString(), server, migrations, routines: routinesHash(), nextTransaction, tables, partitions, sequences }
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const ABOUT = `
  SELECT clock_timestamp() AS at, current_setting('server_version') AS server, pg_snapshot_xmax(pg_current_snapshot())::text AS "nextTransaction"`

const APPLIED = 'SELECT migration_name AS name FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name'

/* Unlogged tables are empty after a crash, too. Rows of partitions are read through their parent. */
const TABLES = `
  SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence = 'p'
    AND pg_has_role(c.relowner, 'USAGE') AND c.relname <> ALL ($1)
  GROUP BY c.oid ORDER BY c.relname`

const PARTITIONS = `
  SELECT c.relname AS name, p.relname AS parent, pg_get_expr(c.relpartbound, c.oid) AS bound
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
  WHERE c.relnamespace = 'public'::regnamespace AND c.relispartition AND c.relkind IN ('r', 'p') ORDER BY c.relname`

const SEQUENCES = `
  SELECT s.sequencename AS name, coalesce(s.last_value, s.start_value)::text AS value, s.last_value IS NOT NULL AS called
  FROM pg_sequences s WHERE s.schemaname = 'public' ORDER BY s.sequencename`
