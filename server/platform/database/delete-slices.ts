import { query } from './database.ts'

/** Rows per statement, which holds their locks for some milliseconds. */
const SLICE = 1_000

/**
 * Deletes the rows of a table that meet `condition` (SQL with parameters from $1), slice by slice, skipping locked rows. Returns how many
 * it deleted. Not for partitioned tables, where row addresses are not unique.
 */
export async function deleteInSlices(table: string, condition: string, values: unknown[] = [], signal?: AbortSignal): Promise<number> {
  const sql = `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${SLICE} FOR UPDATE SKIP LOCKED)) RETURNING 1`
  for (let deleted = 0; ; ) {
    signal?.throwIfAborted()
    const slice = await query('', sql, values)
    deleted += slice.length
    if (slice.length < SLICE) return deleted
  }
}
