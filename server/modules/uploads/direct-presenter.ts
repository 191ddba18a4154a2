import type { DirectRow } from './direct-rows.ts'
import type { UploadObject } from './direct-schema.ts'

export const EXPIRED = 'The upload was not complete when it expired. What was received is removed.'

/** Returns an upload as the API shows it. `received`: its bytes, and whether they are all. */
export function presentUpload(row: DirectRow, received: { bytes: number; isWhole: boolean }): UploadObject {
  const { id, state, isExpired, videoId, maxBytes, createdAt, expiresAt } = row
  // Its end is recorded by a job.
  const lapsed = state === 'open' && isExpired && !received.isWhole
  const running = received.bytes > 0 ? 'uploading' : 'waiting'
  return {
    uploadId: id,
    status: lapsed ? 'expired' : state === 'open' ? running : state,
    bytesReceived: row.receivedBytes ?? received.bytes,
    maxBytes,
    videoId: state === 'completed' ? videoId : null,
    failureCode: lapsed ? 'EXPIRED' : row.failureCode,
    failureReason: lapsed ? EXPIRED : row.failureReason,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}
