import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { decodeCursor, encodeCursor } from '../../../platform/database/cursor.ts'
import type { Pagination } from '../../../platform/text/schema.ts'
import { MAX_ATTEMPTS } from '../failure-schema.ts'
import { uploadPlace } from '../resumable/place.ts'
import { type DirectRow, type DirectState, listDirectOf, readDirectOf, type UploadPosition } from './direct-rows.ts'
import { MAX_UPLOAD_PAGE, UPLOAD_STATUSES, type UploadObject, type UploadStatus } from './direct-schema.ts'

/** Stored states of uploads with a status. A job ends an expired open one a minute later. */
const STATES: Record<UploadStatus, readonly DirectState[]> = {
  waiting: ['open'],
  uploading: ['open'],
  completed: ['completed'],
  expired: ['open', 'expired'],
  failed: ['failed'],
}

/** How many open uploads' received bytes one request reads. A page ends there. */
const MAX_READ = 5 * MAX_UPLOAD_PAGE

interface Input {
  status?: readonly UploadStatus[]
  limit?: number
  cursor?: string
}

/** An upload as it is stored, and as the API shows it. */
export interface ListedUpload {
  row: DirectRow
  upload: UploadObject
}

/** Returns one page of the account's uploads, as the API shows them. Errors: as `pageOfUploads`. */
export async function listDirectUploads(ctx: AccountCtx, input: Input): Promise<{ uploads: UploadObject[]; pagination: Pagination }> {
  const { page, pagination } = await pageOfUploads(ctx, input)
  return { uploads: page.map(({ upload }) => upload), pagination }
}

/**
 * Returns one page of the uploads that the account's keys created, and of its members' imports, newest first, in any of the given statuses.
 * Errors: INVALID_REQUEST for a cursor that this list did not issue.
 */
export async function pageOfUploads(
  { accountId }: AccountCtx,
  { status = UPLOAD_STATUSES, limit = MAX_UPLOAD_PAGE, cursor }: Input,
): Promise<{ page: ListedUpload[]; pagination: Pagination }> {
  const states = [...new Set(status.flatMap((one) => STATES[one]))]
  const found: ListedUpload[] = []
  const from = cursor === undefined ? undefined : readCursor(cursor)
  let rows: DirectRow[] = []
  let isWhole = false
  for (let read = 0; !isWhole && found.length <= limit && read < MAX_READ; read += rows.length) {
    rows = await listDirectOf(accountId, states, rows.at(-1) ?? from, limit + 1)
    isWhole = rows.length <= limit
    const shown = await Promise.all(rows.map(async (row) => ({ row, upload: presentUpload(row, await receivedOf(row)) })))
    found.push(...shown.filter(({ upload }) => status.includes(upload.status)))
  }
  const page = found.slice(0, limit)
  const hasMore = !isWhole || found.length > limit
  const last = found.length > limit ? page.at(-1)?.row : rows.at(-1)
  const nextCursor = hasMore && last ? encodeCursor([last.createdAt.toISOString(), last.id]) : null
  return { page, pagination: { nextCursor, hasMore } }
}

function readCursor(cursor: string): UploadPosition {
  const [at, id] = decodeCursor(cursor, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, /^upl_\w{1,60}$/) ?? []
  const createdAt = new Date(at ?? Number.NaN)
  // February 30 matches the pattern as well.
  if (id && createdAt.getTime() > 0 && createdAt.toISOString() === at) return { createdAt, id }
  throw new ServiceError('INVALID_REQUEST', {
    details: [{ in: 'query', path: 'cursor', message: 'Invalid cursor. Use the pagination.nextCursor of an earlier response.' }],
  })
}

/** Returns an upload's state. Errors: UPLOAD_NOT_FOUND. */
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

export const EXPIRED = 'The upload expired before it was complete. The data that we received was removed.'

/** An upload's bytes: received, announced (null while unknown), and whether they are all there. */
interface Received {
  bytes: number
  total: number | null
  isWhole: boolean
}

/** Returns an upload as the API shows it. */
function presentUpload(row: DirectRow, received: Received): UploadObject {
  const { id, state, isExpired, fields, videoId, maxBytes, createdAt, expiresAt } = row
  // A job records its end.
  const lapsed = state === 'open' && isExpired && !received.isWhole
  const running = received.bytes > 0 ? 'uploading' : 'waiting'
  return {
    uploadId: id,
    title: fields.title ?? null,
    externalId: fields.externalId ?? null,
    status: lapsed ? 'expired' : state === 'open' ? running : state,
    bytesReceived: row.receivedBytes ?? received.bytes,
    bytesTotal: state === 'completed' ? row.receivedBytes : received.total,
    maxBytes,
    videoId: state === 'completed' ? (fields.replaces ?? videoId) : null,
    failureCode: lapsed ? 'EXPIRED' : row.failureCode,
    failureReason: lapsed ? EXPIRED : row.failureReason,
    retry: state === 'open' && !lapsed && row.retry ? retryOf(row.retry) : null,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}

const retryOf = ({ failedAt, nextAttemptAt, ...rest }: NonNullable<DirectRow['retry']>): UploadObject['retry'] => ({
  ...rest,
  maxAttempts: MAX_ATTEMPTS,
  failedAt: new Date(failedAt).toISOString(),
  nextAttemptAt: nextAttemptAt && new Date(nextAttemptAt).toISOString(),
})
