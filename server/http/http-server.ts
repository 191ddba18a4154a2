import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { ServiceError } from '../errors.ts'
import { log } from '../platform/log.ts'
import { boundBody } from './bound-body.ts'
import { readiness } from './health.ts'
import { refuseConnection } from './refuse-connection.ts'
import { errorReply } from './reply.ts'
import { newRequestId } from './request-id.ts'
import { handleUpload } from './resumable-uploads.ts'
import { makeRouter } from './router.ts'
import { isHttps, STRICT_TRANSPORT } from './transport-security.ts'
import { warnOfUntrustedProxy } from './trust-proxy-warning.ts'

export const appDir = join(import.meta.dirname, '../../app')

/**
 * The one HTTP server: health, uploads and the lane are answered here; `others` (Next) gets the rest. Requests of which `isUpgrade` is true
 * go to the server's `upgrade` listeners; by default there are none. The server is not listening yet.
 */
export async function makeHttpServer(others: RequestListener, isUpgrade = (_req: IncomingMessage) => false): Promise<Server> {
  const lane = await makeRouter(appDir)
  const server = createServer(
    {
      // An upload's description travels in a header: 5,000 characters are up to 20 KB there.
      maxHeaderSize: 32_768,
      headersTimeout: 15_000,
      // An upload may take hours; `boundBody` bounds each body by what it is.
      requestTimeout: 0,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 1_000,
      // A request that asks for another protocol (`curl --http2` and Java ask for h2c) is answered as the HTTP/1.1 that it is.
      shouldUpgradeCallback: isUpgrade,
    },
    (req, res) => {
      if (isHttps(req)) res.setHeader(STRICT_TRANSPORT.name, STRICT_TRANSPORT.value)
      if (!req.url?.startsWith('/')) req.url = originForm(req.url)
      if (lane(req, res)) return
      const path = (req.url ?? '/').split('?', 1)[0] as string
      const isUpload = path === '/api/upload' || path.startsWith('/api/upload/')
      boundBody(req, res, isUpload ? 'upload' : 'plain')
      if (path === '/healthz' || path === '/readyz') return void health(path, res)
      if (isUpload) return void answerOr500(handleUpload(req, res), res)
      // Next answers 500 where it cannot decode a parameter; there is nothing at such an address.
      if (!isDecodable(path)) req.url = NOWHERE
      // Nor does it know TRACE, and answers 500.
      if (req.method === 'TRACE') return void refuseMethod(res)
      others(req, res)
    },
  )
  warnOfUntrustedProxy(server)
  // Nothing sent and nothing taken for so long: a client that does not read its answer.
  server.timeout = 120_000
  server.on('clientError', refuseConnection)
  // An expectation that we do not know is one that we need not meet (RFC 9110 §10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  return server
}

/** An address of no page. */
const NOWHERE = '/not-found'

/** What a proxy is asked for (`http://host/path`) as what a server is asked for (RFC 9112 §3.2); `*` is nowhere. */
const originForm = (target = '') => /^https?:\/\/[^/?#]+(\/.*)$/i.exec(target)?.[1] ?? NOWHERE

function refuseMethod(res: ServerResponse): void {
  const { status, headers, body } = errorReply(
    new ServiceError('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET, HEAD, POST' } }),
    newRequestId(),
  )
  res.writeHead(status, headers).end(body)
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== undefined
  } catch {
    return false
  }
}

async function health(path: string, res: ServerResponse): Promise<void> {
  const { status, checks } = path === '/readyz' ? await readiness() : { status: 'ok', checks: { process: 'alive' } }
  const text = JSON.stringify({ status, checks })
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'no-store' }
  res.writeHead(status === 'unavailable' ? 503 : 200, headers)
  res.end(text)
}

async function answerOr500(work: Promise<unknown>, res: ServerResponse): Promise<void> {
  try {
    await work
  } catch (error) {
    log().error({ err: error }, 'unforeseen error outside the endpoints')
    if (!res.headersSent) res.writeHead(500, { 'Content-Type': 'text/plain' })
    res.end('Something went wrong on our side. Try again.')
  }
}

/** Stops accepting, lets running answers end for a moment, then closes what is left. */
export async function closeHttpServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A client that never pauses would keep its connection until it is cut, with a request under way: tell it to go.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const hurry = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(hurry)
}
