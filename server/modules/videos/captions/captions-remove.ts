import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { readExtra, removeUnnamedExtras } from '../extras.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../owned-video.ts'
import type { RemoveCaptionsInput } from '../schema.ts'

/** Captions that were removed, to put them back. */
export interface RemovedCaptions {
  label: string
  /** WebVTT; null where it could not be read any more. */
  text: string | null
}

/**
 * Removes a video's captions in one language, and returns them. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CAPTIONS_NOT_FOUND when it has none in
 * it.
 */
export async function removeCaptions(ctx: AccountCtx, { videoId, language }: RemoveCaptionsInput): Promise<RemovedCaptions> {
  requireVideoManagement(ctx)
  const removed = await db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const found = await tx.caption.findUnique({ where: { videoId_language: { videoId, language } }, select: { label: true, name: true } })
    if (!found) throw new ServiceError('CAPTIONS_NOT_FOUND')
    await tx.caption.delete({ where: { videoId_language: { videoId, language } } })
    await record(tx, ctx, { action: 'video.captions', subject: videoId, before: { language, label: found.label } })
    return found
  })
  // Not in the transaction, whose locks would wait for the store.
  const text = await readExtra(videoId, removed.name).then(String, () => null)
  await removeUnnamedExtras(ctx, videoId)
  return { label: removed.label, text }
}
