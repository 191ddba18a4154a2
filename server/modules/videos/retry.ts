import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { appendVideoLog } from './append-log.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import { requireQueueSpace } from './queue-limit.ts'
import { queueMedia } from './queue-media.ts'
import { canBecome } from './state.ts'

/**
 * Queues a FAILED video for transcoding: FAILED → PENDING, last in the queue. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT when it
 * is not FAILED (another member may have retried it), TOO_MANY_ATTEMPTS when the account's limit of waiting videos is reached.
 */
export async function retryVideo(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const { status, media } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    if (!media || !canBecome(status, 'PENDING') || status === 'PROCESSING')
      throw new ServiceError('CONFLICT', { message: 'Only failed videos can be retried.', details: { status } })
    await requireQueueSpace(tx, ctx.accountId)
    await tx.video.update({ where: { id: videoId, accountId: ctx.accountId }, data: { retries: { increment: 1 } } })
    await tx.media.update({
      where: { id: media.id },
      data: { status: 'PENDING', failureReason: null, progress: 0, etaSec: null, startedAt: null, attempts: 0 },
    })
    await queueMedia(tx, { id: media.id, accountId: ctx.accountId })
    await appendVideoLog(tx, videoId, 'retry', 'Retried from the dashboard.')
    await record(tx, ctx, {
      action: 'video.retry',
      subject: videoId,
      before: { status, failureReason: media.failureReason },
      after: { status: 'PENDING' },
    })
  })
}
