import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { record } from '../../audit/record.ts'
import { appendVideoLog } from '../../videos/append-log.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../../videos/owned-video.ts'
import { VISIBLE } from '../../videos/served.ts'

/** SQL condition: other media of the row `video` waits or is being transcoded, which is to play. */
export const BEING_REPLACED = 'EXISTS (SELECT FROM media n WHERE n.video_id = video.id AND n.id <> video.media_id AND n.kept_until IS NULL)'

/** SQL condition: the row `video` can be re-encoded now. One that was encoded to a target has the options of this version. */
export const REENCODABLE = `${VISIBLE} AND status = 'COMPLETED' AND NOT ${BEING_REPLACED}
  AND EXISTS (SELECT FROM media m WHERE m.id = video.media_id AND m.rate_factors IS NULL)`

/**
 * Requests that a COMPLETED video is encoded again from its original, once nothing else is being transcoded; it plays meanwhile. May be
 * repeated. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT for a video in another state, one that was encoded
 * to a target of quality, and one whose source is being replaced.
 */
export async function requestReencode(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const { status } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    if (status !== 'COMPLETED')
      throw new ServiceError('CONFLICT', { message: 'Only completed videos can be re-encoded.', details: { status } })
    const [video] = await tx.$queryRawUnsafe<{ replaced: boolean; requested: boolean; targeted: boolean }[]>(
      `SELECT ${BEING_REPLACED} AS replaced, reencode_requested_at IS NOT NULL AS requested,
        EXISTS (SELECT FROM media m WHERE m.id = video.media_id AND m.rate_factors IS NOT NULL) AS targeted FROM video WHERE id = $1`,
      videoId,
    )
    if (video?.replaced)
      throw new ServiceError('CONFLICT', { message: 'The source of this video is already being replaced, or it is being re-encoded.' })
    if (video?.targeted)
      throw new ServiceError('CONFLICT', {
        message:
          'This video is encoded to a target of quality already. To save bytes, choose a lower picture quality and replace its source.',
      })
    if (video?.requested) return
    await tx.$executeRaw`UPDATE video SET reencode_requested_at = service_now() WHERE id = ${videoId}`
    await appendVideoLog(tx, videoId, 'retry', 'Re-encoding was requested. It begins when no other video is being transcoded.')
    await record(tx, ctx, { action: 'video.reencode', subject: videoId })
    await enqueue(tx, JOBS['video.reencode'], {})
  })
}

/** Which videos: one, those of an account, or all; of those only what was encoded before a time. */
export interface ReencodeSelection {
  videoId?: string | undefined
  accountId?: string | undefined
  before?: Date | undefined
}

/** Videos per statement: each is locked until its end. */
const BATCH = 1_000

const MATCHING = `
  SELECT id FROM video WHERE ${REENCODABLE} AND reencode_requested_at IS NULL AND id > $1 AND ($2::text IS NULL OR id = $2)
    AND ($3::text IS NULL OR account_id = $3) AND ($4::timestamptz IS NULL OR completed_at < $4)
  ORDER BY id LIMIT ${BATCH} FOR NO KEY UPDATE`

/** Requests the re-encoding of all that match and can be re-encoded, for the operator. Returns their number. */
export async function requestReencodes({ videoId, accountId, before }: ReencodeSelection): Promise<number> {
  let requested = 0
  for (let last = ''; ; ) {
    const ids = await db().$transaction(async (tx) => {
      const values = [last, videoId ?? null, accountId ?? null, before ?? null]
      const found = (await tx.$queryRawUnsafe<{ id: string }[]>(MATCHING, ...values)).map(({ id }) => id)
      await tx.$executeRaw`UPDATE video SET reencode_requested_at = service_now() WHERE id = ANY (${found})`
      return found
    })
    requested += ids.length
    if (ids.length < BATCH) return requested
    last = ids.at(-1) as string
  }
}

/** Withdraws the requests of all that wait; what is being encoded goes on. Returns their number. */
export const withdrawReencodes = (): Promise<number> =>
  db().$executeRaw`UPDATE video SET reencode_requested_at = NULL WHERE reencode_requested_at IS NOT NULL`

/** Returns the number of videos that wait to be re-encoded, those that are deleted or taken down among them. */
export const countReencodes = (): Promise<number> => db().video.count({ where: { reencodeRequestedAt: { not: null } } })
