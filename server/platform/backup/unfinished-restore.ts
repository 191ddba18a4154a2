import pg from 'pg'
import { connectionTo } from '../database/connection.ts'

/** A table that exists only while a restore fills the database. No service starts on such a database, and the restore can be repeated. */
const TABLE = 'unfinished_restore'

/** SQL for the transaction that restores the rows: records that they are there. */
export const ROWS_RESTORED = `UPDATE ${TABLE} SET has_rows = true`

/** Calls `work` with its own connection to a database being restored. */
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
 * Marks an empty database as being filled by a restore of this backup. Returns whether an earlier attempt restored the rows. Errors, in
 * words for the operator: a service has started on the database, or it holds another backup's rows.
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
      throw new Error(`The database holds rows of the backup ${backup}. Finish that restore with --backup ${backup}, or use an empty one.`)
    return { hasRows: true }
  })

/** Ends the restore. From now on, a service starts on the database. */
export const endRestore = (url: string) => withRestoreClient(url, (client) => client.query(`DROP TABLE ${TABLE}`))

/** Refuses a database that a service has started on. Accepts what an interrupted restore left. */
export async function requireEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ used: boolean }>(
    `SELECT to_regclass('account') IS NOT NULL AND to_regproc('grant_tokens') IS NOT NULL AND to_regclass('${TABLE}') IS NULL AS used`,
  )
  if (rows[0]?.used) throw new Error('The database is not empty. Restore into an empty DATA_DIR, or an empty database at DATABASE_URL.')
}

/** Returns whether a restore into this database started and did not end. */
export async function isRestoreUnfinished(client: Pick<pg.Client, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(`SELECT to_regclass('${TABLE}') IS NOT NULL AS there`)
  return rows[0]?.there === true
}

/** Why only the restore may use such a database, in words for the operator. */
export const UNFINISHED_RESTORE =
  'a restore into this database did not finish. Run npm run operator -- restore-backup again, or use a different, empty DATA_DIR or database.'
