import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { asServiceError, ServiceError } from '../errors.ts'
import { log } from '../platform/observe/log.ts'
import { asCaller } from '../platform/turns/caller.ts'
import { accessLog } from './access-log.ts'
import { boundBody, hasBody } from './bound-body.ts'
import { respondHealth } from './health.ts'
import { requestObserver } from './observe.ts'
import type { ObservedRequest } from './observed-request.ts'
import { hasOneSpelling } from './one-spelling.ts'
import { refuseConnection } from './refuse-connection.ts'
import { errorReply, refuseEncodedBody } from './reply.ts'
import { RequestCaller } from './request-caller.ts'
import { newRequestId } from './request-id.ts'
import { countOther } from './request-metrics.ts'
import { makeRouter } from './router.ts'
import { isHttps, STRICT_TRANSPORT } from './transport-security.ts'
import { warnOfUntrustedProxy } from './trust-proxy-warning.ts'
import { handleUpload } from './uploads/resumable-uploads.ts'

export const appDir = join(import.meta.dirname, '../../app')

/**
 * Creates the one HTTP server. It serves health, uploads and the router; `others` (Next) receives the rest. Requests that `isUpgrade`
 * accepts go to the server's `upgrade` listeners, of which there are none by default. The server is not listening yet.
 */
export async function makeHttpServer(others: RequestListener, isUpgrade = (_req: IncomingMessage) => false): Promise<Server> {
  const lane = await makeRouter(appDir)
  const observe = requestObserver([accessLog()], appDir)
  const server = createServer(
    {
      // An upload's description is sent in a header: 5,000 characters take up to 20 KB.
      maxHeaderSize: 32_768,
      headersTimeout: 15_000,
      // An upload may take hours. `boundBody` limits each body by its kind.
      requestTimeout: 0,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 1_000,
      // A request for another protocol (`curl --http2` and Java request h2c) is handled as HTTP/1.1.
      shouldUpgradeCallback: isUpgrade,
    },
    (req, res) => {
      const observed = observe(req, res)
      if (observed) observed.around(() => asCaller(observed, () => serve(req, res, observed)))
      else asCaller(new RequestCaller(req), () => serve(req, res))
    },
  )
  function serve(req: IncomingMessage, res: ServerResponse, observed?: ObservedRequest): void {
    if (isHttps(req)) res.setHeader(STRICT_TRANSPORT.name, STRICT_TRANSPORT.value)
    if (!req.url?.startsWith('/')) req.url = originForm(req.url)
    if (lane(req, res, observed)) return
    serveOthers(req, res)
  }
  function serveOthers(req: IncomingMessage, res: ServerResponse): void {
    if (!hasOneSpelling(pathOf(req))) req.url = NOWHERE
    const path = pathOf(req)
    countOther(path, req, res)
    const isUpload = path === '/api/upload' || path.startsWith('/api/upload/')
    boundBody(req, res, isUpload ? 'upload' : 'plain')
    if (path === '/healthz' || path === '/readyz') return void respondHealth(path, res)
    if (isUpload) return void answerOr500(handleUpload(req, res), res)
    // Next does not support TRACE either, and returns 500.
    if (req.method === 'TRACE') return void refuse(res, new ServiceError('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET, HEAD, POST' } }))
    try {
      if (hasBody(req)) refuseEncodedBody(req.headers['content-encoding'])
    } catch (error) {
      return void refuse(res, asServiceError(error))
    }
    others(req, res)
  }
  warnOfUntrustedProxy(server)
  // Idle limit in both directions: ends clients that do not read their response.
  server.timeout = 120_000
  server.on('clientError', refuseConnection)
  // An unknown expectation need not be met (RFC 9110 §10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  return server
}

/**
 * New connections that the system holds while the process is busy, up to its own limit (`net.core.somaxconn`, 4,096 on Linux). Beyond
 * Node's 511, clients of a burst, as when an event starts, would retry only after a second, then after three.
 */
const BACKLOG = 4_096

/** Makes a server listen. Port 0 chooses a free one; without a host it accepts connections on all addresses. */
export const listen = (server: Server, port: number, host?: string): Server => server.listen({ port, host, backlog: BACKLOG })

const pathOf = ({ url = '/' }: IncomingMessage) => url.split('?', 1)[0] as string

/** No page has this address. */
const NOWHERE = '/not-found'

/** Converts the absolute form of a proxy request (`http://host/path`) to origin form (RFC 9112 §3.2). `*` is not found. */
const originForm = (target = '') => /^https?:\/\/[^/?#]+(\/.*)$/i.exec(target)?.[1] ?? NOWHERE

function refuse(res: ServerResponse, error: ServiceError): void {
  const { status, headers, body } = errorReply(error, newRequestId())
  res.writeHead(status, headers).end(body)
}

async function answerOr500(work: Promise<unknown>, res: ServerResponse): Promise<void> {
  try {
    await work
  } catch (error) {
    log().error({ err: error }, 'unexpected error outside the endpoints')
    if (!res.headersSent) res.writeHead(500, { 'Content-Type': 'text/plain' })
    res.end('An internal error occurred. Try again.')
  }
}

/** Milliseconds of an idle turn of the event loop, and milliseconds after which a busy loop is no longer waited for. */
const [IDLE_TURN_MS, IDLE_WITHIN_MS] = [0.05, 500]

/**
 * Resolves right after an idle turn of the event loop. Closing a port resets connections that the system has established and the process
 * has not accepted. After an idle turn there are none; after a busy one, a proxy's request may be lost.
 */
async function untilLoopIsIdle(): Promise<void> {
  const end = performance.now() + IDLE_WITHIN_MS
  for (let before = performance.now(); ; ) {
    await immediate()
    const now = performance.now()
    if (now - before < IDLE_TURN_MS || now > end) return
    before = now
  }
}

/** Stops accepting, gives running responses `graceMs` to end, then closes the remaining connections. */
export async function closeHttpServer(server: Server, graceMs: number): Promise<void> {
  await untilLoopIsIdle()
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A client that never pauses would keep its connection until it is cut off during a request. The header ends it earlier.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const hurry = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(hurry)
}
