import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { requireVideoManagement } from '../../videos/owned-video.ts'
import { uploadPlace } from '../resumable/place.ts'
import { withUploadLock } from '../resumable/upload-lock.ts'
import { type DirectRow, type Failure, failDirect, readDirect } from './direct-rows.ts'
import type { UploadObject } from './direct-schema.ts'
import { EXPIRED, getDirectUpload, ownedDirect, receivedOf } from './list-direct.ts'

/**
 * Cancels an upload of the account. One that ended without a video stays as it is. Errors: FORBIDDEN, UPLOAD_NOT_FOUND, UPLOAD_CONFLICT
 * once completed.
 */
export async function cancelDirectUpload(ctx: AccountCtx, { uploadId }: { uploadId: string }): Promise<UploadObject> {
  requireVideoManagement(ctx)
  const row = await ownedDirect(ctx.accountId, uploadId)
  const { fields, importedFrom } = row
  const before = { title: fields.title ?? null, importedFrom }
  await cancelOpen(row, (tx) => record(tx, ctx, { action: 'upload.cancel', subject: uploadId, before }))
  return getDirectUpload(ctx, { uploadId })
}

/** Cancels an upload and removes what was received. `also` runs in the same transaction. Errors: UPLOAD_CONFLICT once completed. */
export async function cancelOpen(row: DirectRow, also?: (tx: Tx) => Promise<void>): Promise<void> {
  const failure: Failure = row.isExpired ? { code: 'EXPIRED', reason: EXPIRED } : { code: 'CANCELLED', reason: 'The upload was cancelled.' }
  if (await endWithout(row, failure, also)) return
  if ((await readDirect(row.id))?.state === 'completed') throw completed(row)
}

export const completed = ({ fields }: Pick<DirectRow, 'fields'>) =>
  new ServiceError('UPLOAD_CONFLICT', {
    message: fields.replaces
      ? 'This upload is complete: its file replaces the source of its video.'
      : 'This upload is complete. Delete its video instead.',
    details: { status: 'completed' },
  })

/** Ends an open upload without a video. `also` runs in the same transaction. Returns false if it is no longer open. */
export async function endWithout(row: DirectRow, failure: Failure, also?: (tx: Tx) => Promise<void>): Promise<boolean> {
  if (row.state !== 'open') return false
  const { bytes } = await receivedOf(row)
  const ended = await db().$transaction(async (tx) => {
    const done = await failDirect(tx, row.id, failure, bytes)
    if (done) await also?.(tx)
    return done
  })
  // Asks a request that is still sending bytes to stop.
  if (ended) await withUploadLock(row.id, () => uploadPlace().remove(row.id))
  return ended
}
