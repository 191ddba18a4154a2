import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database.ts'
import { EXPIRED } from './direct-presenter.ts'
import { type DirectRow, type Failure, failDirect, readDirect } from './direct-rows.ts'
import type { UploadObject } from './direct-schema.ts'
import { getDirectUpload, ownedDirect, receivedOf } from './get-direct.ts'
import { uploadPlace } from './place.ts'
import { withUploadLock } from './upload-lock.ts'

/** Cancels an upload of the account; one that ended without a video stays as it is. Errors: UPLOAD_NOT_FOUND, UPLOAD_CONFLICT once completed. */
export async function cancelDirectUpload(ctx: AccountCtx, { uploadId }: { uploadId: string }): Promise<UploadObject> {
  await cancelOpen(await ownedDirect(ctx.accountId, uploadId))
  return getDirectUpload(ctx, { uploadId })
}

/** Cancels an upload and removes what was received. Errors: UPLOAD_CONFLICT once completed. */
export async function cancelOpen(row: DirectRow): Promise<void> {
  const failure: Failure = row.isExpired ? { code: 'EXPIRED', reason: EXPIRED } : { code: 'CANCELLED', reason: 'The upload was cancelled.' }
  if (await endWithout(row, failure)) return
  if ((await readDirect(row.id))?.state === 'completed') throw completed(row)
}

export const completed = ({ fields }: Pick<DirectRow, 'fields'>) =>
  new ServiceError('UPLOAD_CONFLICT', {
    message: fields.replaces
      ? 'This upload is completed: its file replaces the source of its video.'
      : 'This upload is completed. Delete its video instead.',
    details: { status: 'completed' },
  })

/** Ends an open upload without a video. Returns false when it is not open any more. */
export async function endWithout(row: DirectRow, failure: Failure): Promise<boolean> {
  if (row.state !== 'open') return false
  const { bytes } = await receivedOf(row)
  const ended = await db().$transaction((tx) => failDirect(tx, row.id, failure, bytes))
  // A request that still sends bytes is asked to stop.
  if (ended) await withUploadLock(row.id, () => uploadPlace().remove(row.id))
  return ended
}
