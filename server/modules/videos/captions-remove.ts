import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { removeUnnamedExtras } from './extras.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import type { RemoveCaptionsInput } from './schema.ts'

/** Removes a video's captions in one language. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CAPTIONS_NOT_FOUND when it has none in it. */
export async function removeCaptions(ctx: AccountCtx, { videoId, language }: RemoveCaptionsInput): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const found = await tx.caption.findUnique({ where: { videoId_language: { videoId, language } }, select: { label: true } })
    if (!found) throw new ServiceError('CAPTIONS_NOT_FOUND')
    await tx.caption.delete({ where: { videoId_language: { videoId, language } } })
    await record(tx, ctx, { action: 'video.captions', subject: videoId, before: { language, label: found.label } })
  })
  await removeUnnamedExtras(ctx, videoId)
}
