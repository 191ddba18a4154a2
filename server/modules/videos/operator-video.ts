import type { AccountCtx, AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'

/** Returns the context in which the operator acts on a video: that of its account. Errors: VIDEO_NOT_FOUND. */
export async function operatorVideo(videoId: string): Promise<AccountCtx> {
  const video = await db().video.findUnique({ where: { id: videoId }, select: { accountId: true } })
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND', { message: `No video has the id “${videoId}”.` })
  return { accountId: video.accountId as AccountId, actor: { kind: 'operator' }, requestId: 'operator' }
}
