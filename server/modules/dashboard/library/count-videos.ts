import type { AccountCtx } from '../../../context.ts'
import { pool } from '../../../platform/database/database.ts'
import type { ListSelection } from '../../videos/list/list-schema.ts'
import { selectionConditions } from '../list-videos.ts'
import { MAX_BULK_VIDEOS } from './bulk-schema.ts'

/** Returns how many videos a selection has; counts no further than one more than a bulk action can have. */
export async function countVideos({ accountId }: AccountCtx, selection: ListSelection): Promise<{ count: number; atLeast: boolean }> {
  const values: unknown[] = [accountId]
  const { from, where } = selectionConditions(selection, (one) => `$${values.push(one)}`)
  const text = `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${from} WHERE ${where.join(' AND ')} LIMIT ${MAX_BULK_VIDEOS + 1}) AS matching`
  // Not prepared, like the pages of the list.
  const { rows } = await pool().query<{ count: number }>(text, values)
  const count = rows[0]?.count ?? 0
  return { count: Math.min(count, MAX_BULK_VIDEOS), atLeast: count > MAX_BULK_VIDEOS }
}
