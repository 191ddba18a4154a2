import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { dropOfUnavailable } from './drop-replacement.ts'
import { emitLifeEvent } from './emit-video-event.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import { unqueueMedia } from './queue-media.ts'
import { isRestorable } from './restore.ts'
import { requireMatch } from './version.ts'

/**
 * Deletes a video: the API, tokens, playlists and keys refuse it at once. Its media stays for 7 days, in which `restoreVideo` can
 * restore it; media of one that was taken down is kept. Media that is to replace its own is dropped. Returns when it was deleted; a repeated call changes nothing. Errors: FORBIDDEN,
 * VIDEO_NOT_FOUND, PRECONDITION_FAILED unless it matches `ifMatch`; for a key also those of `requireStillPermitted`.
 */
export async function removeVideo(
  ctx: AccountCtx,
  { videoId, ifMatch }: { videoId: string; ifMatch?: string | undefined },
): Promise<{ deletedAt: Date }> {
  requireVideoManagement(ctx)
  return db().$transaction(async (tx) => {
    const { title, status, deletedAt } = await getOwnedVideoForUpdate(tx, ctx, videoId, { held: true, deleted: true })
    if (deletedAt && isRestorable(deletedAt)) return { deletedAt }
    if (deletedAt) throw new ServiceError('VIDEO_NOT_FOUND')
    await requireMatch(tx, videoId, ifMatch)
    const [deleted] = await tx.$queryRaw<{ at: Date }[]>`
      UPDATE video SET deleted_at = service_now() WHERE id = ${videoId} AND account_id = ${ctx.accountId} RETURNING deleted_at AS at`
    await dropOfUnavailable(tx, { accountId: ctx.accountId, videoId })
    await endTranscoding(tx, videoId)
    await record(tx, ctx, { action: 'video.remove', subject: videoId, before: { title, status } })
    await emitLifeEvent(tx, ctx, videoId, 'video.deleted')
    return { deletedAt: deleted?.at as Date }
  })
}

/** Ends the transcoding of a video that is deleted: its tasks go, and what it had to play. */
async function endTranscoding(tx: Tx, videoId: string): Promise<void> {
  const queued = await tx.transcodeQueue.findMany({ where: { media: { videoId } }, select: { mediaId: true } })
  const ids = queued.map(({ mediaId }) => mediaId)
  await unqueueMedia(tx, ids)
  await tx.media.updateMany({ where: { id: { in: ids }, status: 'PROCESSING' }, data: { playableAt: null } })
  for (const id of ids) await tx.$executeRaw`SELECT pg_notify('reelgate', ${`media-gone:${id}`})`
}
