import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { collectionExists } from '../../videos/collections/list-collections.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../../videos/owned-video.ts'
import { createOpenUpload } from '../direct/create-direct.ts'
import type { UploadObject } from '../direct/direct-schema.ts'
import { getDirectUpload, ownedDirect } from '../direct/get-direct.ts'
import type { ImportAgainInput } from './import-again-schema.ts'
import { IMPORT_LIFE_SEC, requireImportUrl } from './import-video.ts'

/**
 * Creates an import like one that ended without a video: with its fields, but the URL and the title of the input, because a URL is forgotten
 * when its import ends. Errors: FORBIDDEN, UPLOAD_NOT_FOUND, UPLOAD_CONFLICT for any other upload, those of `importVideo`, and VIDEO_NOT_FOUND
 * once the video whose source it replaces is deleted.
 */
export async function importAgain(ctx: AccountCtx, { uploadId, url, title }: ImportAgainInput): Promise<UploadObject> {
  requireVideoManagement(ctx)
  const { state, importedFrom, fields, maxBytes } = await ownedDirect(ctx.accountId, uploadId)
  if (importedFrom === null || state === 'open' || state === 'completed')
    throw new ServiceError('UPLOAD_CONFLICT', { message: 'Only imports that ended without a video can be started again.' })
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
      // One that was deleted since is left out, as an external id that was taken since is when an upload is completed.
      ...(isInCollection && { collection }),
      ...{ maxBytes, url, expiresInSec: IMPORT_LIFE_SEC },
    },
    undefined,
  )
  return getDirectUpload(ctx, { uploadId: id })
}
