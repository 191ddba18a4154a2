import { record } from '../audit/record.ts'
import type { AccountCtx } from '../context.ts'
import { db } from '../infra/db.ts'
import { changesVideos, lockOwn } from './own.ts'
import type { EditVideoInput } from './schema.ts'

/** Changes a video's title and description. Errors: FORBIDDEN, VIDEO_NOT_FOUND. */
export async function editVideo(ctx: AccountCtx, { videoId, title, description }: EditVideoInput): Promise<void> {
  changesVideos(ctx)
  await db().$transaction(async (tx) => {
    const before = await lockOwn(tx, ctx, videoId)
    if (before.title === title && before.description === description) return
    await tx.video.update({ where: { id: videoId, accountId: ctx.accountId }, data: { title, description } })
    await record(tx, ctx, {
      action: 'video.edit',
      subject: videoId,
      before: { title: before.title, description: before.description },
      after: { title, description },
    })
  })
}
