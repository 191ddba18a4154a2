import { type AccountCtx, requirePermission } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { getOwnedVideoForUpdate } from '../videos/owned-video.ts'
import { admitUpload } from './admission.ts'
import { countRefusal } from './metrics.ts'
import { uploadMetadata } from './schema.ts'

/** Throws FORBIDDEN unless the actor may add videos. */
export const requireUploadPermission = (ctx: AccountCtx): void => requirePermission(ctx, 'videos.change')

/**
 * Checks a new upload, reserves space for it, and returns the metadata stored with it: the checked fields, its account and the id
 * of its future video, so that completing it twice creates one video. Errors: FORBIDDEN, INVALID_REQUEST, VIDEO_NOT_FOUND and CONFLICT for
 * a video whose source it may not replace, TOO_MANY_ATTEMPTS beyond
 * a limit of the account or with too many videos waiting, STORAGE_FULL when storage is exhausted.
 */
export async function beginUpload(
  ctx: AccountCtx,
  input: { id: string; metadata: unknown; size: number | undefined },
): Promise<Record<string, string | null>> {
  requireUploadPermission(ctx)
  if (input.size === 0) throw new ServiceError('INVALID_REQUEST', { message: 'This file is empty.' })
  const result = uploadMetadata.safeParse(input.metadata ?? {})
  if (!result.success) {
    const [issue] = result.error.issues
    throw new ServiceError('INVALID_REQUEST', { message: issue?.message, details: result.error.issues })
  }
  const { filetype: _, description, encrypted, replaces, ...rest } = result.data
  if (replaces) await db().$transaction((tx) => getOwnedVideoForUpdate(tx, ctx, replaces))
  await admitUpload(ctx, { ...input, isVideo: !replaces }).catch(countRefusal)
  const own = { accountId: ctx.accountId, videoId: newId('vid') }
  return { ...rest, encrypted: String(encrypted), ...(description ? { description } : {}), ...(replaces ? { replaces } : {}), ...own }
}
