import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { serviceNow } from '../../platform/database/clock.ts'
import { db } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { orExternalIdInUse, requireFreeExternalId } from './change-video.ts'
import { emitLifeEvent } from './emit-video-event.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import type { RenderedVideo } from './presenter.ts'
import { requireQueueSpace } from './queue-limit.ts'
import { queueMedia } from './queue-media.ts'
import { readVersion } from './version.ts'

/** Days in which a deleted video can be restored; afterwards its media is purged. */
export const RESTORE_DAYS = 7

const DAY_MS = 86_400_000

/** Returns the deletion time after which videos can still be restored. */
export const restorableSince = () => new Date(serviceNow() - RESTORE_DAYS * DAY_MS)

/** Returns until when a video that was deleted at this time can be restored. */
export const restorableUntil = (deletedAt: Date) => new Date(deletedAt.getTime() + RESTORE_DAYS * DAY_MS)

export const isRestorable = (deletedAt: Date): boolean => deletedAt > restorableSince()

/**
 * Restores a deleted video unchanged and returns it; one that is taken down stays so, and one that is not deleted is returned as it is.
 * Errors: FORBIDDEN, VIDEO_NOT_FOUND past its 7 days, TOO_MANY_ATTEMPTS when it needs transcoding and the account's limit of waiting videos
 * is reached, EXTERNAL_ID_IN_USE when another video got its external id; for a key also those of `requireStillPermitted`.
 */
export async function restoreVideo(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<RenderedVideo> {
  requireVideoManagement(ctx)
  const restored = db().$transaction(async (tx) => {
    const { title, status, deletedAt, externalId, media } = await getOwnedVideoForUpdate(tx, ctx, videoId, { deleted: true, held: true })
    if (!deletedAt) return readVersion(tx, videoId)
    if (!isRestorable(deletedAt)) throw new ServiceError('VIDEO_NOT_FOUND')
    if (externalId) await requireFreeExternalId(tx, ctx, externalId)
    // Deletion removed it from the transcode queue; restoring queues it again.
    if (status === 'PENDING' || status === 'PROCESSING') await requireQueueSpace(tx, ctx.accountId)
    await tx.video.update({ where: { id: videoId, accountId: ctx.accountId }, data: { deletedAt: null } })
    if (media && (status === 'PENDING' || status === 'PROCESSING')) await queueMedia(tx, { id: media.id, accountId: ctx.accountId })
    await record(tx, ctx, { action: 'video.restore', subject: videoId, after: { title } })
    await emitLifeEvent(tx, ctx, videoId, 'video.restored')
    return readVersion(tx, videoId)
  })
  return restored.catch(orExternalIdInUse)
}
