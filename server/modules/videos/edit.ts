import type { AccountCtx } from '../../context.ts'
import { changedMeanwhile } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { changeVideo } from './change-video.ts'
import type { Metadata } from './metadata-schema.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import type { EditVideoInput } from './schema.ts'

/**
 * Changes a video's title and description. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT when they were changed since they were
 * `expected` (`details` has the current values).
 */
export async function editVideo(ctx: AccountCtx, { videoId, title, description, expected }: EditVideoInput): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const before = await getOwnedVideoForUpdate(tx, ctx, videoId)
    if (before.title === title && before.description === description) return
    if (expected && (before.title !== expected.title || before.description !== expected.description))
      throw changedMeanwhile({ title: before.title, description: before.description })
    await changeVideo(tx, ctx, { videoId, before: { ...before, metadata: before.metadata as Metadata }, after: { title, description } })
  })
}
