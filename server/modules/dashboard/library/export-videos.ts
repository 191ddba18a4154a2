import type { AccountCtx } from '../../../context.ts'
import { pool } from '../../../platform/database/database.ts'
import type { ListQuery, ListSelection } from '../../videos/list/list-schema.ts'
import { listForDashboard, selectionConditions } from '../list-videos.ts'
import { MAX_BULK_VIDEOS } from './bulk-schema.ts'
import { CSV_HEADER, videosCsv } from './csv-schema.ts'

/** Videos written at once: a video with all the metadata it can have is a line of 30 KB. */
const AT_ONCE = 10

/** Yields the videos that a list query finds as CSV with its header, page by page. */
export async function* exportVideos(ctx: AccountCtx, query: ListQuery): AsyncGenerator<string> {
  yield CSV_HEADER
  for (let cursor: string | undefined; ; ) {
    const { videos, nextCursor } = await listForDashboard(ctx, { ...query, cursor })
    for (let at = 0; at < videos.length; at += AT_ONCE) yield videosCsv(videos.slice(at, at + AT_ONCE))
    if (!nextCursor) return
    cursor = nextCursor
  }
}

/** Returns how many videos a selection has. Counts no further than one more than a bulk action can have. */
export async function countVideos({ accountId }: AccountCtx, selection: ListSelection): Promise<{ count: number; atLeast: boolean }> {
  const values: unknown[] = [accountId]
  const { from, where } = selectionConditions(selection, (one) => `$${values.push(one)}`)
  const text = `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${from} WHERE ${where.join(' AND ')} LIMIT ${MAX_BULK_VIDEOS + 1}) AS matching`
  // Not prepared, like the list's pages.
  const { rows } = await pool().query<{ count: number }>(text, values)
  const count = rows[0]?.count ?? 0
  return { count: Math.min(count, MAX_BULK_VIDEOS), atLeast: count > MAX_BULK_VIDEOS }
}
