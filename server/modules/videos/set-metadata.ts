import { isDeepStrictEqual } from 'node:util'
import type { AccountCtx } from '../../context.ts'
import { changedMeanwhile } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { changeVideo, orExternalIdInUse } from './change-video.ts'
import type { Metadata, SetMetadataInput } from './metadata-schema.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'

/**
 * Replaces a video's metadata and external id. Errors: FORBIDDEN, VIDEO_NOT_FOUND, EXTERNAL_ID_IN_USE, CONFLICT when they were changed
 * since they were `expected` (`details` has the current values).
 */
export async function setMetadata(ctx: AccountCtx, { videoId, expected, ...requested }: SetMetadataInput): Promise<void> {
  requireVideoManagement(ctx)
  const change = db().$transaction(async (tx) => {
    const { title, description, externalId, metadata } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    const current = { externalId, metadata: metadata as Metadata }
    if (isDeepStrictEqual(current, { externalId: requested.externalId, metadata: { ...requested.metadata } })) return
    if (expected && !isDeepStrictEqual(current, { externalId: expected.externalId, metadata: { ...expected.metadata } }))
      throw changedMeanwhile(current)
    await changeVideo(tx, ctx, { videoId, before: { title, description, ...current }, after: requested })
  })
  await change.catch(orExternalIdInUse)
}
