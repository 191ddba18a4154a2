import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { decodeCursor, encodeCursor, pageOf } from '../../platform/cursor.ts'
import { db, pool, query } from '../../platform/database.ts'
import { restorableSince } from '../videos/restore.ts'
import type { DashboardListInput, ListSort } from '../videos/schema.ts'
import { DASHBOARD_COLUMNS, type DashboardVideo, dashboardVideo } from './video-row.ts'

const PAGE = 50

export interface DashboardPage {
  videos: DashboardVideo[]
  /** The `cursor` of the next page; null on the last. */
  nextCursor: string | null
}

/** A video of a page, and its position in the page's order. */
interface PageRow {
  id: string
  place: string
}

/**
 * Sort expression and direction of each order. An index supports each one (prisma/), so that every page costs as much as the first.
 */
const ORDERS: Record<ListSort, { by: string; type: string; down: boolean }> = {
  newest: { by: 'created_at', type: 'timestamptz', down: true },
  oldest: { by: 'created_at', type: 'timestamptz', down: false },
  title: { by: 'lower(title)', type: 'text', down: false },
  longest: { by: 'duration_sec', type: 'int', down: true },
}

/**
 * Returns one page of the account's videos. Deleted ones appear only under their own filter, while they can be restored. Errors:
 * INVALID_REQUEST for a cursor not issued by this list.
 */
export async function listForDashboard(ctx: AccountCtx, input: DashboardListInput): Promise<DashboardPage> {
  const { name, text, values } = pageStatement(ctx, input)
  // Not prepared: a prepared search would reuse one plan for all, but the cheaper index depends on how rare the term is, or how small
  // the collection.
  const result =
    input.search || input.collection
      ? pool()
          .query<PageRow>(text, values)
          .then(({ rows }) => rows)
      : query<PageRow>(name, text, values)
  const rows = await result.catch(refuseBadValues)
  const { rows: shown, nextCursor } = pageOf(rows, PAGE, ({ place, id }) => encodeCursor([place, id]))
  const found = await db().video.findMany({
    where: { accountId: ctx.accountId, id: { in: shown.map(({ id }) => id) } },
    select: DASHBOARD_COLUMNS,
  })
  const byId = new Map(found.map((row) => [row.id, dashboardVideo(ctx, row)]))
  return {
    videos: shown.flatMap(({ id }) => byId.get(id) ?? []),
    nextCursor,
  }
}

/** Returns the statement for the ids of a page and their positions; it selects one extra row to detect a next page. */
export function pageStatement(ctx: AccountCtx, { filter, search, collection, sort = 'newest', cursor }: DashboardListInput) {
  const values: unknown[] = [ctx.accountId]
  const value = (one: unknown) => `$${values.push(one)}`
  const { by, type, down } = ORDERS[sort]
  // The index for the newest order has ascending ids; a backward scan for the oldest gives descending ids.
  const idsDown = sort === 'oldest'
  const where = ['account_id = $1', 'replaces IS NULL']
  if (filter === 'DELETED') where.push(`deleted_at > ${value(restorableSince())}`)
  else where.push('deleted_at IS NULL', ...(filter ? [`status = ${value(filter)}::"VideoStatus"`] : []))
  if (search) where.push(`(title ILIKE ${value(`%${literally(search)}%`)} OR id = ${value(search)})`)
  if (collection) where.push(`id IN (SELECT video_id FROM collection_video WHERE collection_id = ${value(collection)})`)
  if (cursor) {
    const [place, id] = decodeCursor(cursor, ANY, ANY) ?? noSuchPage()
    const from = `${value(place)}::${type}`
    const after = `${by} ${down ? '<' : '>'} ${from} OR id ${idsDown ? '<' : '>'} ${value(id)}`
    // The first condition bounds the index scan, the second excludes the rows of the previous page.
    where.push(`${by} ${down ? '<=' : '>='} ${from}`, `(${after})`)
  }
  const order = `${by} ${down ? 'DESC' : 'ASC'}, id ${idsDown ? 'DESC' : 'ASC'}`
  const text = `SELECT id, (${by})::text AS place FROM video WHERE ${where.join(' AND ')} ORDER BY ${order} LIMIT ${PAGE + 1}`
  const kind = filter === 'DELETED' ? 'deleted' : filter ? 'status' : 'all'
  return { name: `video-page-${sort}-${kind}${cursor ? '-after' : ''}`, text, values }
}

/** Escapes the wildcards of LIKE. */
const literally = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** The database rejects a value of a forged cursor that is not of the column's type. */
const ANY = /^/

function noSuchPage(cause?: unknown): never {
  throw new ServiceError('INVALID_REQUEST', { message: 'This page of the list does not exist. Reload the list.', cause })
}

/** SQLSTATE class 22, data exceptions: a forged cursor, or text that no title can hold. */
function refuseBadValues(error: { code?: string }): never {
  if (error.code?.startsWith('22')) noSuchPage(error)
  throw error
}
