import type { AccountCtx } from '../../../context.ts'
import type { ListQuery } from '../../videos/list/list-schema.ts'
import { listForDashboard } from '../list-videos.ts'
import { CSV_HEADER, videosCsv } from './csv-schema.ts'

/** Videos written at once: a video with all the metadata that it can have is a line of 30 KB. */
const AT_ONCE = 10

/** Yields the videos of a query of the list as CSV, a page of the list after the other, with its header. */
export async function* exportVideos(ctx: AccountCtx, query: ListQuery): AsyncGenerator<string> {
  yield CSV_HEADER
  for (let cursor: string | undefined; ; ) {
    const { videos, nextCursor } = await listForDashboard(ctx, { ...query, cursor })
    for (let at = 0; at < videos.length; at += AT_ONCE) yield videosCsv(videos.slice(at, at + AT_ONCE))
    if (!nextCursor) return
    cursor = nextCursor
  }
}
