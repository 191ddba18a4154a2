import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '../errors.ts'
import { errorReply } from './reply.ts'
import { newRequestId } from './request-id.ts'

type ClientError = Error & { code?: string }

/** How long a refused connection may still take: for an answer under way to get out, and for the client to read what it was told. */
const PATIENCE_MS = 5_000

const refused = new WeakSet<Socket>()

/**
 * The HTTP server's `clientError`: what is no request (or one whose head is too long) gets an error of the table, and its connection
 * ends. An answer that is under way on the connection is finished first, never written into.
 */
export function refuseConnection(error: ClientError, socket: Socket): void {
  if (refused.has(socket)) return
  refused.add(socket)
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  // What else the client sends is still read, and thrown away: closing at once would reset the connection, and lose it our last words.
  const patience = setTimeout(() => socket.destroy(), PATIENCE_MS).unref()
  socket.once('close', () => clearTimeout(patience))
  // Node's own handling asks the same; there is no public name for it.
  const underWay = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  if (underWay) underWay.once('close', () => socket.end())
  else socket.end(answerTo(error))
}

function answerTo({ code = '' }: ClientError): string {
  // The head did not come in time. There may be nobody who asked anything: load balancers open connections ahead.
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'
  const isTooLong = code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW'
  const problem = isTooLong
    ? new ServiceError('PAYLOAD_TOO_LARGE', {
        message: 'The address and headers of this request are longer than any that this server takes.',
      })
    : new ServiceError('INVALID_REQUEST', { message: 'This is not well-formed HTTP/1.1. Check what sends it, or what stands in between.' })
  const requestId = newRequestId()
  const { status, headers, body } = errorReply(problem, requestId)
  const text = String(body)
  const lines = { ...headers, 'X-Request-Id': requestId, 'Content-Length': Buffer.byteLength(text), Connection: 'close' }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${isTooLong ? 'Payload Too Large' : 'Bad Request'}\r\n${head.join('')}\r\n${text}`
}
