import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database.ts'
import { record } from '../audit/record.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'

/**
 * Deletes a video: the API, tokens, playlists and keys refuse it at once. Its media stays for 7 days, in which `restoreVideo` can
 * restore it; media of one that was taken down is kept. Errors: FORBIDDEN, VIDEO_NOT_FOUND.
 */
export async function removeVideo(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const { title, status } = await getOwnedVideoForUpdate(tx, ctx, videoId, { held: true })
    await tx.$executeRaw`UPDATE video SET deleted_at = service_now() WHERE id = ${videoId} AND account_id = ${ctx.accountId}`
    await record(tx, ctx, { action: 'video.remove', subject: videoId, before: { title, status } })
  })
}
