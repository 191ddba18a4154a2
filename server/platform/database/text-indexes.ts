import type pg from 'pg'
import { log } from '../observe/log.ts'
import { LOCK_TIMEOUT_MS } from './migration-lock.ts'
import { folded } from './text-sql.ts'

const TITLES = 'video_account_id_title_part_idx'

/**
 * Keeps the text indexes in step with the current PostgreSQL. Creates the index for searching within an account's titles if the extensions
 * are installed; otherwise, titles are searched without it. Rebuilds the others after an ICU upgrade. Neither delays requests.
 */
export async function keepTextIndexes(client: pg.ClientBase): Promise<void> {
  // These wait for older transactions.
  await client.query('SET lock_timeout = 0')
  const stale = await staleIndexes(client)
  for (const name of stale) await client.query(`REINDEX INDEX CONCURRENTLY ${name}`)
  if (stale.length > 0) await client.query('ALTER COLLATION reelgate REFRESH VERSION')
  await indexTitles(client)
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`)
}

/** Returns the indexes sorted by a different version of ICU than the current one. */
async function staleIndexes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT i.indexrelid::regclass::text AS name FROM pg_collation c
    JOIN pg_depend d ON d.refclassid = 'pg_collation'::regclass AND d.refobjid = c.oid AND d.classid = 'pg_class'::regclass
    JOIN pg_index i ON i.indexrelid = d.objid
    WHERE c.oid = to_regcollation('reelgate') AND c.collversion <> pg_collation_actual_version(c.oid)
    GROUP BY 1 ORDER BY 1`)
  return rows.map(({ name }) => name)
}

async function indexTitles(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ valid: boolean }>(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${TITLES}')`,
  )
  if (rows[0]?.valid) return
  // A killed attempt left it.
  if (rows[0]) await client.query(`DROP INDEX CONCURRENTLY ${TITLES}`)
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_trgm')
    await client.query('CREATE EXTENSION IF NOT EXISTS btree_gin')
    await client.query(`CREATE INDEX CONCURRENTLY ${TITLES} ON video USING gin (account_id, ${folded('title')} gin_trgm_ops)`)
  } catch (error) {
    if (!MISSING.includes((error as { code?: string }).code ?? '')) throw error
    log().warn({ reason: (error as Error).message }, 'Titles are searched without an index')
  }
}

/** SQLSTATEs of an extension that is not installed, or that the role may not create. */
const MISSING = ['0A000', '58P01', '42501', '42704']
