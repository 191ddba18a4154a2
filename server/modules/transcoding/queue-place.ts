import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database.ts'

/**
 * Returns a video's place in the transcode queue: 1 is started next, null when it does not wait (any more). Videos of other
 * accounts can move the place back, later ones of its own account cannot. Errors: VIDEO_NOT_FOUND.
 */
export async function queuePlace({ accountId }: AccountCtx, { videoId }: { videoId: string }): Promise<{ place: number | null }> {
  const [row] = await db().$queryRaw<{ place: number | null }[]>`
    SELECT (SELECT place FROM (
        SELECT video_id, row_number() OVER (ORDER BY place) AS place FROM transcode_order WHERE kind = 'plan'
      ) AS videos WHERE video_id = v.id)::float8 AS place
    FROM video v WHERE v.id = ${videoId} AND v.account_id = ${accountId}`
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND')
  return row
}
