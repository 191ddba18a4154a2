import { type AccountCtx, demand } from '../context.ts'
import { ServiceError } from '../errors.ts'
import type { Tx } from '../infra/db.ts'

/** Throws FORBIDDEN unless the actor may change videos. */
export const changesVideos = (ctx: AccountCtx): void => demand(ctx, 'videos.change')

/**
 * The account's video, locked until the transaction ends, so that what is read here still holds when it is written.
 * Errors: VIDEO_NOT_FOUND; a deleted video counts as absent unless `deleted` asks for deleted ones alone.
 */
export async function lockOwn(tx: Tx, ctx: AccountCtx, videoId: string, { deleted = false } = {}) {
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
    },
  })
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND')
  return video
}
