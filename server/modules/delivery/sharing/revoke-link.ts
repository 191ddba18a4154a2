import { type AccountCtx, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { record } from '../../audit/record.ts'
import { addEnd } from '../sessions/add-end.ts'

/**
 * Revokes a share link: once this resolves it opens nothing, and every session that it opened is over everywhere, as after `endPlayback`. A
 * revoked link stays so. Errors: FORBIDDEN, NOT_FOUND.
 */
export async function revokeShareLink(ctx: AccountCtx, { linkId }: { linkId: string }): Promise<void> {
  requirePermission(ctx, 'videos.change')
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    await tx.$queryRaw`
      SELECT 1 FROM share_link JOIN video ON video.id = share_link.video_id
      WHERE share_link.id = ${linkId} AND video.account_id = ${accountId} FOR UPDATE OF share_link`
    const link = await tx.shareLink.findFirst({ where: { id: linkId, video: { accountId } }, select: { revokedAt: true, videoId: true } })
    if (!link) throw new ServiceError('NOT_FOUND', { message: 'No such share link exists in your account.' })
    if (link.revokedAt) return
    await tx.shareLink.update({ where: { id: linkId }, data: { revokedAt: new Date(serviceNow()) } })
    await record(tx, ctx, { action: 'share.revoke', subject: linkId, before: { videoId: link.videoId } })
    await addEnd(tx, accountId, { linkId })
  })
  await notifications().caughtUp()
}
