import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { requireContentAccess } from '../../audit/content-access.ts'
import { playableVideo } from '../tokens/playable.ts'
import { signToken } from '../tokens/token.ts'
import { newTokenId } from '../tokens/token-id.ts'

/**
 * Returns a player URL for a signed-in member to preview one of the account's videos: no key, no quota, no audit row, and the
 * player reports no views. Errors: FORBIDDEN unless the actor is a member, VIDEO_NOT_FOUND, VIDEO_NOT_READY, ACCOUNT_SUSPENDED.
 */
export async function previewVideo(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<{ playerUrl: string }> {
  const access = requireContentAccess(ctx, 'Videos cannot be played while you view an account as its owner.')
  if (ctx.actor.kind !== 'user') throw new ServiceError('FORBIDDEN')
  if (ctx.suspended) throw new ServiceError('ACCOUNT_SUSPENDED')
  const video = await db().video.findFirst({
    where: { id: videoId, accountId: ctx.accountId, deletedAt: null, takenDownAt: null },
    select: { status: true },
  })
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND')
  if (video.status !== 'COMPLETED' && !(await playableVideo(videoId))?.isReady)
    throw new ServiceError('VIDEO_NOT_READY', { details: { status: video.status } })
  const token = signToken(access, { videoId, jti: newTokenId(), iat: Math.floor(serviceNow() / 1_000) })
  return { playerUrl: `${env().SDK_URL}/embed/${videoId}?token=${token}&preview=1&title=0` }
}
