import type { AccountCtx } from '../../context.ts'
import { listForDashboard } from '../dashboard/list-videos.ts'
import type { ListQuery } from '../videos/list-schema.ts'
import { CSV_HEADER, videosCsv } from './csv-schema.ts'

/** Yields the videos of a query of the list as CSV, a page of the list after the other, with its header. */
export async function* exportVideos(ctx: AccountCtx, query: ListQuery): AsyncGenerator<string> {
  yield CSV_HEADER
  for (let cursor: string | undefined; ; ) {
    const { videos, nextCursor } = await listForDashboard(ctx, { ...query, cursor })
    if (videos.length > 0) yield videosCsv(videos)
    if (!nextCursor) return
    cursor = nextCursor
  }
}
