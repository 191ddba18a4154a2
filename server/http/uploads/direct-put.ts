import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { ERRORS } from '@tus/server'
import { ServiceError } from '../../errors.ts'
import { completeUpload } from '../../modules/uploads/complete.ts'
import type { DirectRow } from '../../modules/uploads/direct/direct-rows.ts'
import { actorOf, announceSize, emptyUpload } from '../../modules/uploads/direct/open-direct.ts'
import { type UploadInfo, uploadGone, uploadPlace } from '../../modules/uploads/resumable/place.ts'
import { withUploadLock } from '../../modules/uploads/resumable/upload-lock.ts'
import { JSON_TYPE } from '../reply.ts'
import { isCut } from './upload-errors.ts'

/**
 * Stores the body of a PUT as the whole file, replacing what was received before, and responds with the new video's ID. The length may be
 * unknown. Errors: PAYLOAD_TOO_LARGE above `maxBytes`, before reading a body of known length; INVALID_REQUEST for an empty body, part of a
 * file, or a file that is not a video; those of a new upload if it needs more space than is reserved.
 */
export async function putFile(req: IncomingMessage, res: ServerResponse, row: DirectRow, ticket: UploadInfo): Promise<void> {
  const { 'content-length': length, 'content-range': range, 'transfer-encoding': chunked } = req.headers
  if (range !== undefined)
    throw new ServiceError('INVALID_REQUEST', { message: 'Send the whole file, or use a tus client to send it in parts.' })
  const size = length === undefined ? undefined : Number(length)
  if (size === 0 || (size === undefined && chunked === undefined))
    throw new ServiceError('INVALID_REQUEST', { message: 'This file is empty.' })
  if (size !== undefined && size > row.maxBytes) throw tooLarge(row)
  await announceSize(row, ticket, size ?? row.maxBytes)
  const { datastore } = uploadPlace()
  const store = async () => {
    await datastore.create(emptyUpload(row, size))
    try {
      const received = await datastore.write(Readable.from(bounded(req, row)), row.id, 0)
      // The first byte beyond the limit ends the body: what was received is not the file.
      if (received > row.maxBytes) throw tooLarge(row)
      if (size === undefined) await datastore.declareUploadLength(row.id, received)
      return received
    } catch (error) {
      if (!isCut(req)) await datastore.create(emptyUpload(row, undefined))
      throw error
    }
  }
  const received = await withUploadLock(row.id, store, () => void req.destroy())
  if (size !== undefined && received < size) throw new ServiceError('UPLOAD_CONFLICT')
  const stored = await uploadPlace().ticket(row.id)
  if (!stored) throw uploadGone()
  const videoId = await completeUpload(actorOf(row), stored)
  const body = JSON.stringify({ success: true, data: { uploadId: row.id, status: 'completed', bytesReceived: received, videoId } })
  res.writeHead(200, { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body), 'X-Video-Id': videoId }).end(body)
}

/** Yields the body, and one byte beyond the limit if it is larger. */
async function* bounded(req: IncomingMessage, { maxBytes }: DirectRow): AsyncGenerator<Uint8Array> {
  let left = maxBytes + 1
  // The response to a refused body is sent on its connection.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (chunk.length >= left) return void (yield chunk.subarray(0, left))
    left -= chunk.length
    yield chunk
  }
}

/** Returns what tus means by 413: a file beyond the limit, or more bytes than the client announced. */
export const tooMuch = (row: DirectRow, { body }: { body: string }): ServiceError =>
  body === ERRORS.ERR_SIZE_EXCEEDED.body
    ? new ServiceError('PAYLOAD_TOO_LARGE', {
        message: 'The file has more bytes than Upload-Length announced.',
        headers: { Connection: 'close' },
      })
    : tooLarge(row)

const tooLarge = ({ maxBytes }: Pick<DirectRow, 'maxBytes'>) =>
  new ServiceError('PAYLOAD_TOO_LARGE', {
    message: `The file is larger than the ${maxBytes} bytes that this upload accepts.`,
    details: { maxBytes },
    headers: { Connection: 'close' },
  })
