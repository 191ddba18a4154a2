import pg from 'pg'
import { connectionTo } from '../database/connection.ts'

/**
 * A table that exists in a database only while a restore fills it. No service starts on such a database, and a restore into it can be
 * repeated.
 */
const TABLE = 'unfinished_restore'

/** SQL, for the transaction of the restored rows: they are there. */
export const ROWS_RESTORED = `UPDATE ${TABLE} SET has_rows = true`

/** Calls `work` with a connection of its own to a database that is restored. */
export async function withRestoreClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ ...connectionTo(url), application_name: 'reelgate restore', keepAlive: true })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Marks an empty database as one that the restore of this backup fills. Returns whether an earlier attempt has restored the rows. Errors, in
 * words for the operator: a service was started on it, or it holds the rows of another backup.
 */
export const beginRestore = (url: string, backupId: string): Promise<{ hasRows: boolean }> =>
  withRestoreClient(url, async (client) => {
    await requireEmpty(client)
    await client.query(`CREATE TABLE IF NOT EXISTS ${TABLE} (backup_id text NOT NULL, has_rows boolean NOT NULL DEFAULT false)`)
    const { rows } = await client.query<{ backup: string; hasRows: boolean }>(
      `SELECT backup_id AS backup, has_rows AS "hasRows" FROM ${TABLE}`,
    )
    if (!rows[0]?.hasRows) {
      await client.query(`DELETE FROM ${TABLE}`)
      await client.query(`INSERT INTO ${TABLE} (backup_id) VALUES ($1)`, [backupId])
      return { hasRows: false }
    }
    const { backup } = rows[0]
    if (backup !== backupId)
      throw new Error(
        `The database holds the rows of the backup ${backup}. Finish its restore with --backup ${backup}, or use an empty one.`,
      )
    return { hasRows: true }
  })

/** Ends the restore: from now on a service starts on the database. */
export const endRestore = (url: string) => withRestoreClient(url, (client) => client.query(`DROP TABLE ${TABLE}`))

/** Refuses every database that a service was started on. What an interrupted restore leaves is accepted. */
export async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ used: boolean }>(
    `SELECT to_regclass('account') IS NOT NULL AND to_regproc('grant_tokens') IS NOT NULL AND to_regclass('${TABLE}') IS NULL AS used`,
  )
  if (rows[0]?.used) throw new Error('The database is not empty. Restore into an empty DATA_DIR, or an empty database at DATABASE_URL.')
}

/** Returns whether a restore into this database has begun and not ended. */
export async function isRestoreUnfinished(client: Pick<pg.Client, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(`SELECT to_regclass('${TABLE}') IS NOT NULL AS there`)
  return rows[0]?.there === true
}

/** Why nothing but the restore may use such a database, in words for the operator. */
export const UNFINISHED_RESTORE =
  'a restore into this database did not finish. Run npm run operator -- restore-backup again, or use another, empty DATA_DIR or database.'
