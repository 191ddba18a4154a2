import { record } from '../audit/record.ts'
import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { storage } from '../infra/storage/storage.ts'
import { extraKey } from './extras.ts'
import { changesVideos, lockOwn } from './own.ts'
import type { RemoveCaptionsInput } from './schema.ts'

/** Removes a video's captions in one language. Errors: FORBIDDEN, VIDEO_NOT_FOUND, NOT_FOUND when it has none in it. */
export async function removeCaptions(ctx: AccountCtx, { videoId, language }: RemoveCaptionsInput): Promise<void> {
  changesVideos(ctx)
  const unused = await db().$transaction(async (tx) => {
    await lockOwn(tx, ctx, videoId)
    const all = await tx.caption.findMany({ where: { videoId }, select: { language: true, name: true, label: true } })
    const found = all.find((one) => one.language === language)
    if (!found) throw new ServiceError('NOT_FOUND', { message: 'This video has no captions in this language.' })
    await tx.caption.delete({ where: { videoId_language: { videoId, language } } })
    await record(tx, ctx, { action: 'video.captions', subject: videoId, before: { language, label: found.label } })
    return all.some((one) => one !== found && one.name === found.name) ? undefined : found.name
  })
  if (unused) await storage().delete(extraKey(videoId, unused))
}
