import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { migrate } from '../database/migrate.ts'
import { migrationNames } from '../database/migration-names.ts'
import type { Storage } from '../storage/storage-port.ts'
import { BackupFault } from './backup-fault.ts'
import { type DatabaseDump, quoted } from './dump.ts'
import { checkParts, readParts } from './parts.ts'
import { requireEmpty, withRestoreClient } from './unfinished-restore.ts'

interface Options {
  /** The service's role, if another role owns the tables. */
  service?: string | undefined
  /** SQL that changes the restored rows before they are committed. */
  amend?: string
  /** Whether an earlier attempt restored the rows. */
  hasRows?: boolean
  signal: AbortSignal
}

/**
 * How many transactions the lost database may have run after the backup. Skipping them keeps the stream positions that clients hold, and
 * the numbers of open playback sessions, in the past.
 */
const LOST_TRANSACTIONS = 1_000_000_000

/**
 * Restores a dump into an empty database: the backup's migrations, its rows in one transaction, then the build's remaining migrations and
 * its routines. Foreign keys are dropped before the rows and checked with all of them; triggers are created only afterwards. Errors:
 * BackupFault if the backup is incomplete; in words for the operator if the database is not empty.
 */
export async function restoreDatabase(store: Storage, dump: DatabaseDump, url: string, options: Options): Promise<void> {
  const { service, hasRows = false, signal } = options
  const known = migrationNames()
  const unknown = dump.migrations.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `The backup was made by a later version of Reelgate, which includes the migration ${unknown}. Restore it with that version.`,
    )
  if (!hasRows) await restoreRows(store, dump, url, options)
  await migrate(url, { service, signal, restores: true })
  await withRestoreClient(url, (client) => client.query('ANALYZE'))
}

async function restoreRows(store: Storage, dump: DatabaseDump, url: string, { amend, signal }: Options): Promise<void> {
  await withRestoreClient(url, requireEmpty)
  // Before anything is written, since this finds most damage.
  for (const { parts } of dump.tables) await checkParts(store, parts, signal)
  await migrate(url, { signal, only: dump.migrations, restores: true })
  await withRestoreClient(url, async (client) => {
    await client.query(BEGIN)
    try {
      await fill(client, store, dump, signal)
      if (amend) await client.query(amend)
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw explained(error as Error & { code?: string; table?: string })
    }
  })
}

const BEGIN = `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO, YMD'`

async function fill(client: pg.Client, store: Storage, dump: DatabaseDump, signal: AbortSignal): Promise<void> {
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(FOREIGN_KEYS)
  for (const { table, name } of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quoted(name)}`)
  const { rows: existing } = await client.query<{ name: string }>('SELECT relname AS name FROM pg_class WHERE relispartition')
  for (const { name, parent, bound } of dump.partitions) {
    if (existing.some((one) => one.name === name)) continue
    if (!BOUND.test(bound)) throw new BackupFault(`the partition ${name} has a bound in an unknown format`)
    await client.query(`CREATE TABLE ${quoted(name)} PARTITION OF ${quoted(parent)} ${bound}`)
  }
  // Some migrations insert rows.
  await client.query(`TRUNCATE ${dump.tables.map(({ name }) => quoted(name)).join(', ')}`)
  for (const { name, columns, rows, parts } of dump.tables) {
    signal.throwIfAborted()
    if (parts.length === 0) continue
    const into = client.query(copyFrom(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) FROM STDIN`))
    await readParts(store, parts, into)
    if (into.rowCount !== rows) throw new BackupFault(`the table ${name} has ${into.rowCount} rows instead of ${rows}`)
  }
  for (const { name, value, called } of dump.sequences)
    await client.query('SELECT setval($1::regclass, $2, $3)', [quoted(name), value, called])
  for (const { table, name, definition } of keys) await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quoted(name)} ${definition}`)
  // In its own snapshot, the backup was not complete yet.
  await client.query('UPDATE backup SET finished_at = $1, snapshot_at = $1 WHERE finished_at IS NULL AND failed_at IS NULL', [
    dump.snapshotAt,
  ])
  await client.query(
    `UPDATE installation SET event_position_offset = event_position_offset + greatest(0, $1::bigint - pg_current_xact_id()::text::bigint) + $2,
       last_playback_end = last_playback_end + $2`,
    [dump.nextTransaction, LOST_TRANSACTIONS],
  )
}

/** A bound as PostgreSQL prints it for a time range, and nothing else, because it becomes part of a statement. */
const BOUND = /^(DEFAULT|FOR VALUES FROM \('[\d :.+-]+'\) TO \('[\d :.+-]+'\))$/

const FOREIGN_KEYS = `
  SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
  WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace ORDER BY 1, 2`

/** Data errors are faults of the backup: rows that PostgreSQL cannot read, or that violate a constraint. */
function explained(error: Error & { code?: string; table?: string }): Error {
  const ofData = /^(22|23)/.test(error.code ?? '')
  return ofData ? new BackupFault(`the rows of the backup cannot be restored: ${error.message}`) : asZlibFault(error)
}

function asZlibFault(error: Error & { code?: string }): Error {
  return /^(ZSTD_|Z_|ERR_ZLIB|ZLIB)/i.test(error.code ?? '') ? new BackupFault(`a part cannot be decompressed: ${error.message}`) : error
}
