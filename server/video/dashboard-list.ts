import type { AccountCtx } from '../context.ts'
import { db } from '../infra/db.ts'
import { DASHBOARD_COLUMNS, type DashboardVideo, dashboardVideo } from './dashboard-row.ts'
import { restorableSince } from './restore.ts'
import type { DashboardListInput } from './schema.ts'

const PAGE = 50

export interface DashboardPage {
  videos: DashboardVideo[]
  /** Give it back as `cursor` for the next page; null on the last. */
  nextCursor: string | null
}

/** One page of the account's videos, newest first. Deleted ones only under their own filter, while they can be restored. */
export async function listForDashboard(ctx: AccountCtx, { filter, search, cursor }: DashboardListInput): Promise<DashboardPage> {
  const rows = await db().video.findMany({
    where: {
      accountId: ctx.accountId,
      ...(filter === 'DELETED' ? { deletedAt: { gt: restorableSince() } } : { deletedAt: null, status: filter }),
      ...(search ? { OR: [{ title: { contains: literally(search), mode: 'insensitive' as const } }, { id: search }] } : {}),
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    select: DASHBOARD_COLUMNS,
    take: PAGE + 1,
    // With the account: the place of somebody else's video would tell that it is there, and since when.
    ...(cursor ? { cursor: { id: cursor, accountId: ctx.accountId }, skip: 1 } : {}),
  })
  const videos = rows.slice(0, PAGE).map(dashboardVideo)
  return { videos, nextCursor: rows.length > PAGE ? (videos.at(-1)?.id ?? null) : null }
}

/** Prisma hands % and _ on to LIKE as they are, where they would match anything. */
const literally = (text: string) => text.replace(/[\\%_]/g, '\\$&')
