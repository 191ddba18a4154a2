import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '../errors.ts'
import { env } from '../platform/config.ts'
import { errorReply } from './reply.ts'
import { newRequestId } from './request-id.ts'

/** Whether a request brings a body, going by its head (RFC 9112 §6.3). */
const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || !['0', undefined].includes(headers['content-length'])

/**
 * Bounds how long the body of a request may take, so that one that drips holds nothing for ever: an upload must keep up
 * UPLOAD_MIN_BYTES_PER_SEC, any other body be whole within BODY_TIMEOUT_SEC. What is too slow is answered with 408 REQUEST_TIMEOUT, and
 * its connection ends.
 */
export function boundBody(req: IncomingMessage, res: ServerResponse, kind: 'upload' | 'plain'): void {
  if (!hasBody(req)) return
  const { BODY_TIMEOUT_SEC, UPLOAD_MIN_BYTES_PER_SEC, UPLOAD_STALL_SEC } = env()
  const { socket } = req
  let read = socket.bytesRead
  const look = () => {
    if (req.complete || req.destroyed) return
    const came = socket.bytesRead - read
    read = socket.bytesRead
    // Bytes that lie here unread are our own delay, and no fault of the client.
    const keepsUp = kind === 'upload' && (came >= UPLOAD_MIN_BYTES_PER_SEC * UPLOAD_STALL_SEC || req.readableLength > 0)
    if (keepsUp) return
    stop()
    endSlowBody(req, res)
  }
  const every = setInterval(look, (kind === 'upload' ? UPLOAD_STALL_SEC : BODY_TIMEOUT_SEC) * 1_000).unref()
  const stop = () => clearInterval(every)
  for (const event of ['end', 'close']) req.once(event, stop)
}

function endSlowBody(req: IncomingMessage, res: ServerResponse): void {
  // An answer that is under way is finished; nothing more is read meanwhile, so that drips do not keep the connection from its idle limit.
  if (res.headersSent) {
    req.pause()
    if (res.writableFinished) req.socket.destroy()
    else res.once('finish', () => req.socket.destroy())
    return
  }
  const requestId = newRequestId()
  const { status, headers, body } = errorReply(new ServiceError('REQUEST_TIMEOUT'), requestId)
  res.writeHead(status, { ...headers, 'X-Request-Id': requestId, 'Content-Length': Buffer.byteLength(String(body)), Connection: 'close' })
  // A handler that waits for the rest of the body hears that it will not come.
  res.end(body, () => req.destroy())
}
