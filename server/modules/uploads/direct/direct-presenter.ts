import { MAX_ATTEMPTS } from '../failure-schema.ts'
import type { DirectRow } from './direct-rows.ts'
import type { UploadObject } from './direct-schema.ts'

export const EXPIRED = 'The upload was not complete when it expired. What was received is removed.'

/** Bytes of an upload: received, announced (null while unknown), and whether they are all there. */
export interface Received {
  bytes: number
  total: number | null
  isWhole: boolean
}

/** Returns an upload as the API shows it. */
export function presentUpload(row: DirectRow, received: Received): UploadObject {
  const { id, state, isExpired, fields, videoId, maxBytes, createdAt, expiresAt } = row
  // Its end is recorded by a job.
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
