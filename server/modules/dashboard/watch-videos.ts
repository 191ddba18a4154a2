import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { watchAccount } from '../identity/sessions/watch-account.ts'
import { DASHBOARD_COLUMNS, type DashboardVideo, dashboardVideo } from './video-row.ts'

/**
 * `resync`: changes may have been missed (also the first event), so the client reloads its lists. `changed`: the current rows; IDs in
 * `gone` are no longer in the database.
 */
export type VideoEvent = { type: 'resync' } | { type: 'changed'; videos: DashboardVideo[]; gone: string[] }

/** Combines changes within this period after a read, so that an encoder's progress causes at most 4 reads per second per client. */
const GATHER_MS = 250

/** Yields changes in the account's videos until `signal` aborts. Errors: as `watchAccount`. */
export async function* watchVideos(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<VideoEvent> {
  for await (const noticed of watchAccount(ctx, signal, ['video', 'video-progress'], GATHER_MS))
    yield noticed === 'resync' ? { type: 'resync' } : await readChanged(ctx, noticed)
}

async function readChanged(ctx: AccountCtx, ids: string[]): Promise<VideoEvent> {
  const rows = await db().video.findMany({
    where: { accountId: ctx.accountId, id: { in: ids } },
    select: DASHBOARD_COLUMNS,
  })
  const there = new Set(rows.map((row) => row.id))
  return { type: 'changed', videos: rows.map((row) => dashboardVideo(ctx, row)), gone: ids.filter((id) => !there.has(id)) }
}
