import { query } from './database.ts'

/** Rows of one statement: it holds their locks for some milliseconds. */
const SLICE = 1_000

/**
 * Deletes the rows of a table for which `condition` (SQL with parameters from $1 on) holds, a slice after the other, and passes over rows that
 * are locked. Returns their number. Not for partitioned tables, whose row addresses occur twice.
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
