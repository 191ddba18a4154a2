import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { serviceNow } from '../../platform/clock.ts'
import { db } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import { requireQueueSpace } from './queue-limit.ts'

/** Days in which a deleted video can be restored; afterwards its media is purged. */
export const RESTORE_DAYS = 7

/** Returns the deletion time after which videos can still be restored. */
export const restorableSince = () => new Date(serviceNow() - RESTORE_DAYS * 86_400_000)

/**
 * Restores a deleted video unchanged; one that is taken down stays so. Errors: FORBIDDEN, VIDEO_NOT_FOUND when it is not deleted or
 * past its 7 days, TOO_MANY_ATTEMPTS when it needs transcoding and the account's limit of waiting videos is reached.
 */
export async function restoreVideo(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const { title, status, deletedAt } = await getOwnedVideoForUpdate(tx, ctx, videoId, { deleted: true, held: true })
    if (!deletedAt || deletedAt <= restorableSince()) throw new ServiceError('VIDEO_NOT_FOUND')
    // Deletion removed it from the transcode queue; restoring queues it again.
    if (status === 'PENDING' || status === 'PROCESSING') await requireQueueSpace(tx, ctx.accountId)
    await tx.video.update({ where: { id: videoId, accountId: ctx.accountId }, data: { deletedAt: null } })
    await record(tx, ctx, { action: 'video.restore', subject: videoId, after: { title } })
  })
}
