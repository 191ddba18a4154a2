import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { outboundUrlRefusal } from '../../../platform/network/outbound-url-policy.ts'
import { collectionExists } from '../../videos/collections/collections.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../../videos/owned-video.ts'
import { createOpenUpload } from '../direct/create-direct.ts'
import type { UploadObject } from '../direct/direct-schema.ts'
import { getDirectUpload, ownedDirect } from '../direct/list-direct.ts'
import type { ImportAgainInput } from './import-again-schema.ts'
import type { ImportVideoInput } from './import-schema.ts'

/** Seconds that an import has to complete. */
export const IMPORT_LIFE_SEC = 86_400

/**
 * Creates an upload whose file a worker downloads. Errors: INVALID_REQUEST for a URL that imports may not use, and those of
 * `createOpenUpload`.
 */
export async function importVideo(
  ctx: AccountCtx,
  input: ImportVideoInput,
  idempotencyKey?: string,
): Promise<{ upload: UploadObject; replayed: boolean }> {
  requireImportUrl(input.url)
  const { id, replayed } = await createOpenUpload(
    ctx,
    { ...input, allowedOrigin: undefined, expiresInSec: IMPORT_LIFE_SEC },
    idempotencyKey,
  )
  return { upload: await getDirectUpload(ctx, { uploadId: id }), replayed }
}

/** Throws INVALID_REQUEST for a URL that imports may not use. */
export function requireImportUrl(url: string): void {
  const message = outboundUrlRefusal(new URL(url), 'IMPORT_ALLOWED_HOSTS')
  if (message) throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: 'url', message }] })
}

/**
 * Creates an import like one that ended without a video, with its fields, but the input's URL and title, because an import's URL is
 * forgotten when it ends. Errors: FORBIDDEN, UPLOAD_NOT_FOUND, UPLOAD_CONFLICT for any other upload, those of `importVideo`, and
 * VIDEO_NOT_FOUND once the video whose source it replaces is deleted.
 */
export async function importAgain(ctx: AccountCtx, { uploadId, url, title }: ImportAgainInput): Promise<UploadObject> {
  requireVideoManagement(ctx)
  const { state, importedFrom, fields, maxBytes } = await ownedDirect(ctx.accountId, uploadId)
  if (importedFrom === null || state === 'open' || state === 'completed')
    throw new ServiceError('UPLOAD_CONFLICT', { message: 'You can restart only imports that ended without a video.' })
  requireImportUrl(url)
  const { replaces, collection, ...others } = fields
  if (replaces !== undefined) await db().$transaction((tx) => getOwnedVideoForUpdate(tx, ctx, replaces))
  const isInCollection = collection !== undefined && (await collectionExists(ctx, collection))
  const { id } = await createOpenUpload(
    ctx,
    {
      ...others,
      ...(title !== undefined && { title }),
      ...(replaces !== undefined && { replaces }),
      // A collection deleted since then is left out, like an external ID that has been taken by the time an upload completes.
      ...(isInCollection && { collection }),
      ...{ maxBytes, url, expiresInSec: IMPORT_LIFE_SEC },
    },
    undefined,
  )
  return getDirectUpload(ctx, { uploadId: id })
}
