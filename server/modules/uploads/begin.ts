import { type AccountCtx, requirePermission } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config/config.ts'
import { db } from '../../platform/database/database.ts'
import { freeBytes, uploadSpace } from '../../platform/files/disk-space.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { getOwnedVideoForUpdate } from '../videos/owned-video.ts'
import { admitUpload } from './admission.ts'
import { countRefusal } from './metrics.ts'
import { uploadMetadata } from './schema.ts'

/** Throws FORBIDDEN unless the actor may add videos. */
export const requireUploadPermission = (ctx: AccountCtx): void => requirePermission(ctx, 'videos.change')

/**
 * Checks a new upload, reserves space for it, and returns the metadata stored with it: the checked fields, its account and its future
 * video's ID, so that completing it twice creates one video. Errors: FORBIDDEN, INVALID_REQUEST, VIDEO_NOT_FOUND and CONFLICT for a video
 * whose source it may not replace, TOO_MANY_ATTEMPTS beyond a limit of the account or with too many videos waiting, STORAGE_FULL if storage
 * is exhausted.
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

/** Below this many free bytes, a failed write is attributed to a full disk. */
const FULL_DISK_BYTES = 1024 ** 2

/**
 * Writes incoming bytes to a folder while the reserve is free. `write` receives a stream that ends early, so that bytes already received
 * are stored when the client requests the offset. Errors: STORAGE_FULL once the reserve would be used, even if other files used the space
 * reserved for this upload.
 */
export async function writeWithinReserve<Result>(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  write: (bytes: AsyncGenerator<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const { STORAGE_RESERVE_BYTES: reserve } = env()
  let full = false
  async function* withinReserve() {
    for await (const chunk of source) {
      full = (await uploadSpace().after(chunk.length)) < reserve
      if (full) return
      yield chunk
    }
  }
  const result = await write(withinReserve()).catch(async (error) => {
    full ||= (await freeBytes(folder)) < FULL_DISK_BYTES
    throw full ? new ServiceError('STORAGE_FULL') : error
  })
  if (full) throw new ServiceError('STORAGE_FULL')
  return result
}
