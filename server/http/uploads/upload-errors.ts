import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { asServiceError, ERRORS, isServiceError, ServiceError } from '../../errors.ts'
import { log } from '../../platform/observe/log.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'
import { lingerAfterResponse } from '../linger.ts'

/** Returns whether a connection ended before the request's last byte. A completely received request is destroyed as well. */
export const isCut = (req: IncomingMessage | undefined): boolean => req?.destroyed === true && !req.complete

/** tus's own errors carry a status and a technical text. */
type TusError = { status_code: number; body: string }

/** Returns the response to an error. `isGone`: the connection ended in the middle of the upload's bytes, which is not a failure. */
export function answerTo(error: unknown, isGone = false): TusError {
  if (isServiceError(error)) return { status_code: ERRORS[error.code].status, body: error.message }
  if (isStorageError(error) && error.code !== 'STORAGE_OBJECT_MISSING') {
    log().error({ err: error }, 'upload failed')
    return answerTo(new ServiceError(error.code === 'STORAGE_FULL' ? error.code : 'SERVICE_UNAVAILABLE'))
  }
  const { status_code = 500, body = '' } = error as Partial<TusError>
  // An unsupported tus extension is the client's error, not the service's fault.
  if (status_code === 501) return { status_code: 400, body: body.trim() }
  if (body === IS_HELD) return { status_code: 423, body: 'Another connection is sending this upload. Try again in a moment.' }
  if (status_code >= 500 && !isGone) log().error({ err: error }, 'upload failed')
  // tus returns 500 for any database error. For a short outage, 503 is correct, and the client retries.
  const { code } = asServiceError(error)
  if (status_code === 500 && code === 'SERVICE_UNAVAILABLE') return { status_code: 503, body: ERRORS[code].message }
  return { status_code, body: MESSAGES[status_code] ?? (status_code >= 500 ? ERRORS.INTERNAL_ERROR.message : body.trim()) }
}

/** tus's message for an upload that another request holds longer than this one waits. */
const IS_HELD = 'failed to acquire lock before timeout'

const MESSAGES: Record<number, string> = {
  404: 'This upload no longer exists. Start it again.',
  410: 'This upload no longer exists. Start it again.',
  412: 'Send “Tus-Resumable: 1.0.0” with each tus request, or the whole file with PUT.',
  413: 'The file is larger than this service accepts.',
}

/** How many bytes of a refused body are read to the end, so that the browser reads the response. */
const MAX_DRAINED_BYTES = 32 * 1024 ** 2

/** Returns whether to close a refused body's connection instead of reading the body to its end. */
const isTooMuch = (req: IncomingMessage): boolean => !(Number(req.headers['content-length'] ?? 0) <= MAX_DRAINED_BYTES)

/** Reads the rest of a refused body, up to the same number of bytes: a chunked one's length is unknown. */
function drain(req: IncomingMessage): void {
  let left = MAX_DRAINED_BYTES
  req.on('data', (part: Buffer) => {
    left -= part.length
    if (left < 0) req.destroy()
  })
}

/** Sends the refusal of an upload. A large body in transit ends with its connection. */
export function sendRefusal(
  req: IncomingMessage,
  res: ServerResponse,
  { status, body, headers }: { status: number; body: string; headers: OutgoingHttpHeaders },
): void {
  if (res.headersSent) return void res.destroy()
  const tooMuch = isTooMuch(req)
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), ...(tooMuch && { Connection: 'close' }) })
  if (tooMuch) lingerAfterResponse(req.socket)
  res.end(body)
  if (!tooMuch) drain(req)
}

/** Responds to a client that lost the last response and requests the offset: the upload is complete, with its video's ID. */
export function respondComplete(res: ServerResponse, bytes: number, videoId: string): void {
  const size = String(bytes)
  res.writeHead(200, { 'Tus-Resumable': '1.0.0', 'Upload-Offset': size, 'Upload-Length': size, 'X-Video-Id': videoId }).end()
}
