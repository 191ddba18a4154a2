import { exportVideos } from '#server/modules/dashboard/library/export-videos'
import { readListQuery } from '#server/modules/videos/list/list-schema'
import { csvHeaders } from '#server/platform/text/csv'
import { asFile } from '../../_as-file'
import { signedIn } from '../../_signed-in'

/** Serves all videos that match the query of an address of the list as a CSV file to a member: `/api/videos/csv?filter=FAILED`. */
export async function GET(request: Request): Promise<Response> {
  const ctx = await signedIn(request)
  if (ctx instanceof Response) return ctx
  const pieces = exportVideos(ctx, readListQuery(new URL(request.url).searchParams))
  return asFile(request, ctx, pieces, csvHeaders('videos.csv'))
}
