import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { env } from '../platform/config/config.ts'
import { log } from '../platform/observe/log.ts'
import { type Family, render } from '../platform/observe/metrics-text.ts'
import { respondHealth } from './health.ts'

/** Reads the metrics of every process that shares this port. */
export type ReadProcesses = () => Promise<Family[][]>

/** Serves `/metrics`, `/healthz` and `/readyz` at ADMIN_PORT. Returns a function that closes the port. */
export async function startAdminServer(read: ReadProcesses): Promise<() => Promise<void>> {
  const { ADMIN_PORT: port, ADMIN_HOST: host } = env()
  const server = makeAdminServer(read)
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why =
      code === 'EADDRINUSE' ? 'is already in use. Stop the program that uses it, or set a different one' : `cannot be used: ${message}`
    throw new Error(`ADMIN_PORT ${port} ${why}.`)
  }
  return async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
}

/** Creates that server. Concurrent requests for `/metrics` share one reading. */
export function makeAdminServer(read: ReadProcesses): Server {
  let running: ReturnType<typeof render> | undefined
  const metrics = () => {
    running ??= read()
      .then(render)
      .finally(() => {
        running = undefined
      })
    return running
  }
  const server = createServer((req, res) => {
    respond(req, res, metrics).catch((error: Error) => {
      log().error({ err: error }, 'a request at ADMIN_PORT failed')
      if (!res.headersSent) res.writeHead(500)
      res.end()
    })
  })
  server.headersTimeout = 5_000
  server.requestTimeout = 10_000
  return server
}

async function respond(
  { url = '/', method }: IncomingMessage,
  res: ServerResponse,
  metrics: () => ReturnType<typeof render>,
): Promise<void> {
  const path = url.split('?', 1)[0] as string
  if (method !== 'GET' && method !== 'HEAD') return void res.writeHead(405, { Allow: 'GET, HEAD' }).end()
  if (path === '/healthz' || path === '/readyz') return respondHealth(path, res)
  if (path !== '/metrics') return void res.writeHead(404, { 'Content-Type': 'text/plain' }).end('/metrics, /healthz, /readyz\n')
  const { contentType, text } = await metrics()
  res.writeHead(200, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'no-store' })
  res.end(method === 'HEAD' ? undefined : text)
}
