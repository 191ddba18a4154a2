import { Upload } from '@tus/server'
import type { AccountCtx, Actor } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { isVisible } from '../../../platform/text/schema.ts'
import { admitUpload } from '../admission.ts'
import { type UploadInfo, uploadGone, uploadPlace } from '../resumable/place.ts'
import { uploadMetadata } from '../schema.ts'
import { throwRefusal } from './admit-direct.ts'
import { completed } from './cancel-direct.ts'
import { type DirectRow, readDirect } from './direct-rows.ts'
import { EXPIRED } from './list-direct.ts'

const UNTITLED = 'Untitled'

/** Returns the upload of a checked URL. Errors: UPLOAD_NOT_FOUND, ACCOUNT_SUSPENDED. */
export async function readForClient(id: string): Promise<DirectRow> {
  const row = await readDirect(id)
  if (!row) throw new ServiceError('UPLOAD_NOT_FOUND', { message: 'This upload no longer exists. Create another one.' })
  if (row.isSuspended) throw new ServiceError('ACCOUNT_SUSPENDED')
  return row
}

/** Throws UPLOAD_CONFLICT for a completed upload, UPLOAD_FAILED, UPLOAD_EXPIRED. */
export function requireOpen({ state, isExpired, failureCode, failureReason, fields }: DirectRow): void {
  if (state === 'completed') throw completed({ fields })
  if (state === 'failed') throw new ServiceError('UPLOAD_FAILED', { details: { failureCode, failureReason } })
  if (state === 'expired' || isExpired)
    throw new ServiceError('UPLOAD_EXPIRED', { details: { failureCode: 'EXPIRED', failureReason: EXPIRED } })
}

/** Returns the actor of the changes that an upload's client causes: the key or member that created it, without further rights. */
export function actorOf({ keyId, userId, userEmail }: DirectRow): Actor {
  if (keyId !== null) return { kind: 'key', keyId, scopes: [], environment: 'LIVE' }
  return userId === null ? { kind: 'system' } : { kind: 'user', userId, email: userEmail ?? '', role: 'VIEWER' }
}

/** Returns an open upload's ticket. Its first request creates the empty upload, with the file's name if known. */
export async function openTicket(row: DirectRow, filename?: string): Promise<UploadInfo> {
  const place = uploadPlace()
  const ticket = await place.ticket(row.id)
  if (ticket) return ticket
  await place.openEmpty(emptyUpload(row, undefined, filename))
  const made = await place.ticket(row.id)
  if (!made) throw uploadGone()
  return made
}

/** Returns what tus stores about an upload without bytes. `filename` and `size` are as the client announced them. */
export function emptyUpload(row: DirectRow, size: number | undefined, filename?: string | null): Upload {
  return new Upload({ id: row.id, offset: 0, metadata: tusMetadata(row, filename), ...(size === undefined ? {} : { size }) })
}

/** Returns the metadata of an upload's ticket. Description and other fields come from its row. */
export function tusMetadata({ accountId, videoId, fields }: DirectRow, filename?: string | null): Record<string, string> {
  const { title, targetQuality, encrypted } = fields
  const name = uploadMetadata.shape.filename.parse(filename ?? undefined)
  const fromName = filename
    ? name
        .replace(/\.[^.]*$/, '')
        .slice(0, 200)
        .toWellFormed()
        .trim()
    : ''
  return {
    title: title ?? (isVisible(fromName) ? fromName : UNTITLED),
    targetQuality,
    encrypted: String(encrypted),
    filename: name,
    accountId,
    videoId,
  }
}

/**
 * Reserves the bytes that a client announces, if less is reserved: admits them like a new upload. Only under the upload's lock does a
 * reservation become smaller (reservation.ts), because until then another request's larger size may apply. Errors: UPLOAD_CONFLICT once all
 * bytes are received, and those of `admitUpload`.
 */
export async function announceSize(row: DirectRow, ticket: UploadInfo, size: number): Promise<void> {
  if (ticket.size !== undefined && (await uploadPlace().received(row.id)) === ticket.size) throw new ServiceError('UPLOAD_CONFLICT')
  const enough = await query('is-reserved', 'SELECT 1 FROM upload WHERE id = $1 AND bytes >= $2', [row.id, size])
  const ctx: Pick<AccountCtx, 'accountId'> = { accountId: row.accountId }
  if (enough.length === 0)
    await admitUpload(ctx, { id: row.id, size, isVideo: !row.fields.replaces }, { isReplacement: true }).catch(throwRefusal)
}
