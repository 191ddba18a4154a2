import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../videos/owned-video.ts'
import { requireMatch } from '../videos/version.ts'
import { createOpenUpload } from './direct/create-direct.ts'
import { directUrl } from './direct/direct-url.ts'
import { IMPORT_LIFE_SEC, requireImportUrl } from './import/import-video.ts'
import type { ReplaceSourceInput, SourceUpload } from './source-schema.ts'

interface Call {
  videoId: string
  ifMatch?: string | undefined
  idempotencyKey?: string | undefined
  input: ReplaceSourceInput
}

/**
 * Creates an upload whose file replaces the source of a video; one with a `url` is downloaded by a job. The video stays as it is until all
 * renditions of the new source are complete. Errors: FORBIDDEN, VIDEO_NOT_FOUND, PRECONDITION_FAILED unless it matches
 * `ifMatch`, INVALID_REQUEST for a URL that imports may not use, and those of `createOpenUpload`.
 */
export async function replaceSource(
  ctx: AccountCtx,
  { videoId, ifMatch, idempotencyKey, input }: Call,
): Promise<{ upload: SourceUpload; replayed: boolean }> {
  requireVideoManagement(ctx)
  const { url, ...options } = input
  if (url !== undefined) requireImportUrl(url)
  const before = await db().$transaction(async (tx) => {
    const video = await getOwnedVideoForUpdate(tx, ctx, videoId)
    await requireMatch(tx, videoId, ifMatch)
    return video
  })
  const chosen = { ...options, encrypted: options.encrypted ?? before.encrypted, replaces: videoId }
  const { id, expiresAt, replayed } = await createOpenUpload(
    ctx,
    url === undefined ? chosen : { ...chosen, url, expiresInSec: IMPORT_LIFE_SEC },
    idempotencyKey,
    // Without the default of the video, which may change before the request is repeated.
    { ...input, replaces: videoId },
  )
  const sent = url === undefined ? { uploadUrl: directUrl(id), protocol: 'tus' as const } : { uploadUrl: null, protocol: null }
  return { upload: { uploadId: id, videoId, ...sent, expiresAt: expiresAt.toISOString() }, replayed }
}
