import type { AccountCtx } from '../../../context.ts'
import { encodeCursor, pageOf } from '../../../platform/database/cursor.ts'
import { pool } from '../../../platform/database/database.ts'
import { storageOf } from '../../identity/accounts/storage.ts'
import { VISIBLE } from '../owned-video.ts'
import { presentVideo, VIDEO_COLUMNS, type VideoRow } from '../presenter.ts'
import { filterConditions, titleContains } from './filter-conditions.ts'
import type { VideoFilters } from './filter-schema.ts'
import { readCursor, type VideoPage } from './list.ts'

export interface FilteredPage extends VideoFilters {
  limit?: number | undefined
  cursor?: string | undefined
}

/** Returns one page of the videos that match all filters. Errors: INVALID_REQUEST for a cursor that this API did not issue. */
export async function listFilteredVideos(ctx: AccountCtx, input: FilteredPage): Promise<VideoPage> {
  const { limit = 100 } = input
  const rows = (input.q !== undefined && (await searchInOrder(ctx, input))) || (await run(filteredStatement(ctx, input)))
  const page = pageOf(rows, limit, (last) => encodeCursor([last.created_at.toISOString(), last.id]))
  return { videos: page.rows.map(presentVideo), pagination: { nextCursor: page.nextCursor, hasMore: page.nextCursor !== null } }
}

interface Statement {
  text: string
  values: unknown[]
}

// Not prepared: a prepared statement would reuse one plan for all values, but the cheapest index depends on how rare each one is.
const run = async ({ text, values }: Statement) => (await pool().query<VideoRow>(text, values)).rows

/** How many videos are read to see how frequent a text is. */
const SAMPLE = 200
/** How much rarer the text may be further on than in the sample. */
const MARGIN = 4

/**
 * Returns a page of a search that reads the list in order. Undefined if the title index is cheaper, which reads and sorts every match. The
 * planner's estimate of a text's frequency is often wrong by a factor of a hundred, so the first videos are read as a sample.
 */
async function searchInOrder(ctx: AccountCtx, input: FilteredPage): Promise<VideoRow[] | undefined> {
  const { limit = 100 } = input
  const sample = await run(filteredStatement(ctx, input, SAMPLE))
  if (sample.length > limit) return sample
  if (sample.length === 0) return undefined
  const among = Math.ceil(((limit + 1) * SAMPLE) / sample.length)
  const { videos } = await storageOf(ctx.accountId)
  const matches = (videos * sample.length) / SAMPLE
  if (matches < among) return undefined
  const rows = await run(filteredStatement(ctx, input, MARGIN * among))
  return rows.length > limit ? rows : undefined
}

/**
 * Returns the statement for a page, which selects one extra row to detect a next page. With `among`, it searches for `q` in that many of
 * the videos that match the other filters, not in the title index.
 */
export function filteredStatement({ accountId }: Pick<AccountCtx, 'accountId'>, input: FilteredPage, among?: number): Statement {
  const { q, sort = 'newest', limit = 100, cursor } = input
  const values: unknown[] = [accountId]
  const value = (one: unknown) => `$${values.push(one)}`
  const { from, where, at, id } = filterConditions(input, value)
  where.unshift('video.account_id = $1', VISIBLE)
  const search = q === undefined ? undefined : titleContains(q, value)
  if (search && !among) where.push(search)
  const isNewest = sort === 'newest'
  if (cursor) {
    const [time, last] = readCursor(cursor)
    const since = `${value(time)}::timestamptz`
    // The first condition limits the index scan, the second excludes the rows of the previous page.
    const [before, beyond] = isNewest ? ['<', '>'] : ['>', '<']
    where.push(`${at} ${before}= ${since}`, `(${at} ${before} ${since} OR ${id} ${beyond} ${value(last)})`)
  }
  // The indexes for newest first have ascending IDs; a backward scan for oldest first gives descending IDs.
  const by = isNewest ? `${at} DESC, ${id}` : `${at}, ${id} DESC`
  const columns = VIDEO_COLUMNS.replace(/\w+/g, 'video.$&')
  const most = value(limit + 1)
  const select = (shown: string, count: string) => `SELECT ${shown} FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${by} LIMIT ${count}`
  if (!search || !among) return { text: select(columns, most), values }
  const listed = select(`${columns}, ${at} AS listed_at`, value(among))
  const direction = isNewest ? 'listed_at DESC, id' : 'listed_at, id DESC'
  return { text: `SELECT ${VIDEO_COLUMNS} FROM (${listed}) AS listed WHERE ${search} ORDER BY ${direction} LIMIT ${most}`, values }
}
