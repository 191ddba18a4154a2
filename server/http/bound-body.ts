import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '../errors.ts'
import { leastBytes, stallSec } from '../modules/uploads/bounds.ts'
import { testValue } from '../platform/config/config.ts'
import { errorReply } from './reply.ts'
import { newRequestId } from './request-id.ts'

/** Returns the longest time in seconds that a body other than an upload may take. */
export const bodySec = (): number => Number(testValue('BODY_SEC') ?? 60)

/** Returns whether a request has a body, according to its head (RFC 9112 §6.3). */
export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || !['0', undefined].includes(headers['content-length'])

/**
 * Limits how long a request body takes, so that a slow one does not hold resources forever: an upload must sustain a rate, any other body
 * must end within `bodySec`. A body that is too slow receives 408 REQUEST_TIMEOUT, and its connection ends.
 */
export function boundBody(req: IncomingMessage, res: ServerResponse, kind: 'upload' | 'plain'): void {
  if (!hasBody(req)) return
  const least = leastBytes()
  const { socket } = req
  let read = socket.bytesRead
  const look = () => {
    if (req.complete || req.destroyed) return
    const received = socket.bytesRead - read
    read = socket.bytesRead
    // Received bytes not yet read are this process's delay, not the client's.
    const keepsUp = kind === 'upload' && (received >= least || req.readableLength > 0)
    if (keepsUp) return
    stop()
    endBody(req, res, new ServiceError('REQUEST_TIMEOUT'))
  }
  const every = setInterval(look, (kind === 'upload' ? stallSec() : bodySec()) * 1_000).unref()
  const stop = () => clearInterval(every)
  for (const event of ['end', 'close']) req.once(event, stop)
}

/** Responds with an error in the middle of a request's body, and ends its connection. */
export function endBody(req: IncomingMessage, res: ServerResponse, error: ServiceError): void {
  // A response in progress is finished. Nothing more is read in the meantime, so that slow bytes do not put off the connection's idle
  // limit.
  if (res.headersSent) {
    req.pause()
    if (res.writableFinished) req.socket.destroy()
    else res.once('finish', () => req.socket.destroy())
    return
  }
  const requestId = newRequestId()
  const { status, headers, body } = errorReply(error, requestId)
  res.writeHead(status, { ...headers, 'X-Request-Id': requestId, 'Content-Length': Buffer.byteLength(String(body)), Connection: 'close' })
  // A handler waiting for the rest of the body receives an error.
  res.end(body, () => req.destroy())
}
