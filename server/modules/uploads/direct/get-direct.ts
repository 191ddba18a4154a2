import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { uploadPlace } from '../resumable/place.ts'
import { presentUpload, type Received } from './direct-presenter.ts'
import { type DirectRow, readDirectOf } from './direct-rows.ts'
import type { UploadObject } from './direct-schema.ts'

/** Returns the state of an upload. Errors: UPLOAD_NOT_FOUND. */
export async function getDirectUpload({ accountId }: AccountCtx, { uploadId }: { uploadId: string }): Promise<UploadObject> {
  const row = await ownedDirect(accountId, uploadId)
  return presentUpload(row, await receivedOf(row))
}

/** Returns an upload of the account. Errors: UPLOAD_NOT_FOUND, also for another account's. */
export async function ownedDirect(accountId: AccountCtx['accountId'], uploadId: string): Promise<DirectRow> {
  const row = uploadId.startsWith('upl_') && !uploadId.includes('\0') ? await readDirectOf(accountId, uploadId) : undefined
  if (!row) throw new ServiceError('UPLOAD_NOT_FOUND')
  return row
}

/** Returns what was received of an open upload. */
export async function receivedOf({ id, state }: DirectRow): Promise<Received> {
  if (state !== 'open') return { bytes: 0, total: null, isWhole: false }
  const [ticket, received] = await Promise.all([uploadPlace().ticket(id), uploadPlace().received(id)])
  const total = ticket?.size ?? null
  return { bytes: received ?? 0, total, isWhole: received !== undefined && received > 0 && received === total }
}
