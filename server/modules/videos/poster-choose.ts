import type { AccountCtx } from '../../context.ts'
import { changedMeanwhile, ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import type { ChoosePosterInput } from './schema.ts'

/**
 * Sets a video's poster to a candidate or to the uploaded picture. Errors: FORBIDDEN, VIDEO_NOT_FOUND, INVALID_REQUEST for a
 * picture it does not have, CONFLICT when another was chosen since one was `expected`.
 */
export async function choosePoster(ctx: AccountCtx, { videoId, name, expected }: ChoosePosterInput): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const { poster, media, posterUploaded } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    if (!media?.posterCandidates.includes(name) && posterUploaded !== name)
      throw new ServiceError('INVALID_REQUEST', { message: 'This video has no such image. Reload the page.' })
    if (poster === name) return
    if (expected !== undefined && poster !== expected) throw changedMeanwhile({ poster })
    await tx.video.update({ where: { id: videoId, accountId: ctx.accountId }, data: { poster: name } })
    await record(tx, ctx, { action: 'video.poster', subject: videoId, before: { poster }, after: { poster: name } })
  })
}
