import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { serviceToday } from '../../platform/database/clock.ts'
import { decodeCursor, encodeCursor, pageOf } from '../../platform/database/cursor.ts'
import { db, pool, query } from '../../platform/database/database.ts'
import { alphabetical } from '../../platform/database/text-sql.ts'
import { daysAsked } from '../../platform/text/day-ranges.ts'
import { filterConditions, type Parameter, titleContains } from '../videos/list/filter-conditions.ts'
import type { DashboardListInput, ListSelection, ListSort } from '../videos/list/list-schema.ts'
import { spokenMatches } from '../videos/list/spoken.ts'
import { restorableSince } from '../videos/remove.ts'
import { DASHBOARD_COLUMNS, type DashboardVideo, dashboardVideo } from './video-row.ts'

const PAGE = 50

export interface DashboardPage {
  videos: DashboardVideo[]
  /** The `cursor` of the next page; null on the last page. */
  nextCursor: string | null
}

/** A video on a page, and its position in the page's order. */
interface PageRow {
  id: string
  place: string
}

/**
 * Sort expression and direction of each order. Null: the creation time, in the table that orders the list. An index supports each one
 * (prisma/), so that every page costs as much as the first.
 */
const ORDERS: Record<ListSort, { by: string | null; type: string; down: boolean }> = {
  newest: { by: null, type: 'timestamptz', down: true },
  oldest: { by: null, type: 'timestamptz', down: false },
  title: { by: alphabetical('title'), type: 'text', down: false },
  longest: { by: 'duration_sec', type: 'int', down: true },
}

/**
 * Returns one page of the account's videos. Deleted ones appear only under their own filter, while they can be restored. Errors:
 * INVALID_REQUEST for a cursor that this list did not issue.
 */
export async function listForDashboard(ctx: AccountCtx, input: DashboardListInput): Promise<DashboardPage> {
  const { name, text, values } = pageStatement(ctx, input)
  // Not prepared: a prepared search would reuse one plan for all, but the cheapest index depends on how rare the term is, or how small the
  // collection.
  const result =
    name === undefined
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
  const { transcript } = input
  const spoken =
    transcript === undefined
      ? undefined
      : await spokenMatches(
          ctx,
          transcript,
          shown.map(({ id }) => id),
        )
  const byId = new Map(found.map((row) => [row.id, { ...dashboardVideo(ctx, row), ...(spoken && { spoken: spoken.get(row.id) }) }]))
  return {
    videos: shown.flatMap(({ id }) => byId.get(id) ?? []),
    nextCursor,
  }
}

/**
 * Returns the statement for a page's IDs and their positions. It selects one extra row to detect a next page. It has a name if its text is
 * the same for all values.
 */
export function pageStatement(ctx: AccountCtx, { sort = 'newest', cursor, ...selection }: DashboardListInput) {
  const values: unknown[] = [ctx.accountId]
  const value: Parameter = (one) => `$${values.push(one)}`
  const { from, where, at, id } = selectionConditions(selection, value)
  const { by, type, down } = ORDERS[sort]
  // Filter tables have only the creation time.
  const [order, last] = by ? [by, 'video.id'] : [at, id]
  // The index for newest first has ascending IDs; a backward scan for oldest first gives descending IDs.
  const idsDown = sort === 'oldest'
  if (cursor) {
    const [place, before] = decodeCursor(cursor, ANY, ANY) ?? noSuchPage()
    const since = `${value(place)}::${type}`
    const after = `${order} ${down ? '<' : '>'} ${since} OR ${last} ${idsDown ? '<' : '>'} ${value(before)}`
    // The first condition limits the index scan, the second excludes the rows of the previous page.
    where.push(`${order} ${down ? '<=' : '>='} ${since}`, `(${after})`)
  }
  const direction = `${order} ${down ? 'DESC' : 'ASC'}, ${last} ${idsDown ? 'DESC' : 'ASC'}`
  const text = `SELECT video.id, (${order})::text AS place FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${direction} LIMIT ${PAGE + 1}`
  const { filter, ...others } = selection
  const kind = filter === 'DELETED' ? 'deleted' : filter ? 'status' : 'all'
  const named = Object.values(others).every((one) => !one)
  return { name: named ? `video-page-${sort}-${kind}${cursor ? '-after' : ''}` : undefined, text, values }
}

const DAY_MS = 86_400_000

/** Returns the conditions for the videos in a dashboard selection; `$1` is the account. Deleted videos are those that can be restored. */
export function selectionConditions({ filter, search, range, from: first, to: last, ...filters }: ListSelection, value: Parameter) {
  const { from, to } = daysAsked({ range, from: first, to: last }, serviceToday())
  const conditions = filterConditions(
    {
      ...filters,
      status: filter === 'DELETED' ? undefined : filter,
      // From the first millisecond of one day to the last of the other.
      createdAfter: from && new Date(Date.parse(from) - 1).toISOString(),
      createdBefore: to && new Date(Date.parse(to) + DAY_MS).toISOString(),
    },
    value,
  )
  const where = ['video.account_id = $1']
  where.push(filter === 'DELETED' ? `deleted_at > ${value(restorableSince())}` : 'deleted_at IS NULL', ...conditions.where)
  if (search) where.push(`(${titleContains(search, value)} OR video.id = ${value(search)})`)
  return { ...conditions, where }
}

/** The database rejects a forged cursor's value that does not have the column's type. */
const ANY = /^/

function noSuchPage(cause?: unknown): never {
  throw new ServiceError('INVALID_REQUEST', { message: 'This page no longer exists. Reload the list.', cause })
}

/** SQLSTATE class 22, data exceptions: a forged cursor, or text that no title can hold. */
function refuseBadValues(error: { code?: string }): never {
  if (error.code?.startsWith('22')) noSuchPage(error)
  throw error
}
