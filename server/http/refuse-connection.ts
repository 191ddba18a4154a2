import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '../errors.ts'
import { destroyLater } from './linger.ts'
import { errorReply } from './reply.ts'
import { newRequestId } from './request-id.ts'
import { isHttpsConnection, STRICT_TRANSPORT } from './transport-security.ts'

type ClientError = Error & { code?: string }

const refused = new WeakSet<Socket>()

/**
 * Handles the HTTP server's `clientError`: an invalid request (or one whose headers are too long) receives an error of the table, and its
 * connection ends. A response in progress on the connection finishes first and is never interleaved.
 */
export function refuseConnection(error: ClientError, socket: Socket): void {
  if (refused.has(socket)) return
  refused.add(socket)
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  // Further bytes from the client are read and discarded.
  destroyLater(socket)
  // Node's own handler reads the same property; it has no public name.
  const inProgress = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  if (inProgress) inProgress.once('close', () => socket.end())
  else socket.end(answerTo(error, isHttpsConnection(socket)))
}

function problemOf({ code = '' }: ClientError): ServiceError {
  // The headers did not arrive in time.
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ServiceError('REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new ServiceError('PAYLOAD_TOO_LARGE', {
      message: 'The URL and headers of this request are too large.',
    })
  return new ServiceError('INVALID_REQUEST', {
    message: 'The request is not valid HTTP/1.1. Check the client and any proxies between it and this server.',
  })
}

function answerTo(error: ClientError, isHttps: boolean): string {
  const requestId = newRequestId()
  const { status, headers, body } = errorReply(problemOf(error), requestId)
  const text = String(body)
  const lines = {
    ...headers,
    ...(isHttps ? { [STRICT_TRANSPORT.name]: STRICT_TRANSPORT.value } : {}),
    'X-Request-Id': requestId,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`
}
