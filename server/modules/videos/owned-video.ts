import { type AccountCtx, requirePermission } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database.ts'

/** Throws FORBIDDEN unless the actor may change videos. */
export const requireVideoManagement = (ctx: AccountCtx): void => requirePermission(ctx, 'videos.change')

/**
 * Locks and returns the account's video, so that the values read are still current when the transaction writes. Errors:
 * VIDEO_NOT_FOUND; a deleted video counts as absent, and with `deleted` only deleted ones are found. CONFLICT for a video that was
 * taken down, unless `held` permits the change.
 */
export async function getOwnedVideoForUpdate(tx: Tx, ctx: AccountCtx, videoId: string, { deleted = false, held = false } = {}) {
  await tx.$queryRaw`SELECT 1 FROM video WHERE id = ${videoId} AND account_id = ${ctx.accountId} FOR UPDATE`
  const video = await tx.video.findFirst({
    where: { id: videoId, accountId: ctx.accountId, deletedAt: deleted ? { not: null } : null },
    select: {
      title: true,
      description: true,
      status: true,
      failureReason: true,
      sourceKey: true,
      deletedAt: true,
      poster: true,
      posterCandidates: true,
      posterUploaded: true,
      takenDownAt: true,
      takedownReason: true,
    },
  })
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND')
  if (video.takenDownAt && !held)
    throw new ServiceError('CONFLICT', { message: `This video was taken down and cannot be changed. Reason: ${video.takedownReason}` })
  return video
}
