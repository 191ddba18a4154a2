import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { join } from 'node:path'
import next from 'next'
import { PHASE_DEVELOPMENT_SERVER, PHASE_PRODUCTION_SERVER } from 'next/constants.js'
import configModule from 'next/dist/server/config.js'
import { keyStops } from '../modules/access/keys/stop-reports.ts'
import { deliveredBytes } from '../modules/analytics/delivered/delivered-bytes.ts'
import { trafficCollector } from '../modules/analytics/requests/collector.ts'
import { viewingCounts } from '../modules/analytics/viewing/viewing-counts.ts'
import { securityCounters } from '../modules/audit/security-counters.ts'
import { liveSessions } from '../modules/delivery/sessions/live-sessions.ts'
import { env } from '../platform/config/config.ts'
import { endLongAnswers } from '../platform/turns/long-answers.ts'
import { LoopMonitor } from '../platform/turns/loop-monitor.ts'
import { flushAccessLog } from './access-log.ts'
import { leaveService, SHUTDOWN_MS } from './drain.ts'
import { appDir, listen, makeHttpServer } from './http-server.ts'
import { pageRoutes } from './page-routes.ts'
import { servePagesByTurns } from './page-turns.ts'
import { describeRequests } from './request-caller.ts'

/** Checks that PORT is free before anything starts. Throws in words for the operator. */
export async function checkPort(): Promise<void> {
  const probe = createServer()
  await listenOnPort(probe)
  await new Promise((resolve) => probe.close(resolve))
}

/** A CommonJS module, whose default export is a property in Node. */
const { default: readConfig } = configModule as unknown as { default: typeof configModule }

/** Serves everything on PORT. Returns a function that stops it. `hurry` aborts when the operator is waiting. */
export async function startWeb({ dev, hurry }: { dev: boolean; hurry: AbortSignal }): Promise<() => Promise<void>> {
  const { PORT, HOST } = env()
  const dir = join(import.meta.dirname, '../..')
  // Next prints how long its configuration took, unless it has been read before.
  await readConfig(dev ? PHASE_DEVELOPMENT_SERVER : PHASE_PRODUCTION_SERVER, dir, { silent: true })
  // With its first request, Next attaches an `upgrade` listener to the server it is given, and answers only its own requests in
  // development. So it gets a server that never listens.
  const bystander = createServer()
  const pages = next({ dev, dir, port: PORT, hostname: HOST ?? 'localhost', httpServer: bystander })
  await pages.prepare()
  const others = pages.getRequestHandler()
  const queued = servePagesByTurns((req, res) => void others(req, res))
  const server = await makeHttpServer(
    (req, res) => {
      nameClient(req)
      queued(req, res)
    },
    (req) => dev && isOfBundler(req),
  )
  // Node before 24.9 does not call `shouldUpgradeCallback`, and passes on every upgrade request once a listener exists.
  if (dev)
    server.on('upgrade', (req, socket, head) => (isOfBundler(req) && bystander.emit('upgrade', req, socket, head)) || socket.destroy())
  const monitor = new LoopMonitor(describeRequests(pageRoutes(appDir)))
  // Next compiles pages in turns of seconds.
  if (!dev) monitor.start()
  trafficCollector().start()
  liveSessions().start()
  viewingCounts().start()
  deliveredBytes().start()
  keyStops().start()
  await listenOnPort(server)
  return async () => {
    await leaveService(server, { drainMs: env().DRAIN_SEC * 1_000, graceMs: SHUTDOWN_MS, hurry }, () => {
      // Open pages each hold an event stream, and reconnect to another process automatically.
      endLongAnswers()
    })
    keyStops().stop()
    monitor.stop()
    const counts = [trafficCollector(), liveSessions(), viewingCounts(), deliveredBytes()]
    await Promise.all([...counts.map((one) => one.stop()), securityCounters().flush()])
    await pages.close()
    await flushAccessLog()
  }
}

async function listenOnPort(server: Server): Promise<void> {
  const { PORT, HOST } = env()
  try {
    listen(server, PORT, HOST)
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE' && (await isReelgate(PORT)))
      throw new Error(
        `another Reelgate is already running at http://localhost:${PORT}. Stop it first, or set a different PORT and DATA_DIR.`,
      )
    if (code === 'EADDRINUSE') throw new Error(`port ${PORT} is already in use. Stop the program that uses it, or set a different PORT.`)
    throw new Error(`port ${PORT} cannot be used: ${message}`)
  }
}

async function isReelgate(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://localhost:${port}/healthz`, { signal: AbortSignal.timeout(5_000) })
    return JSON.stringify(await answer.json()).includes('"process":"alive"')
  } catch {
    return false
  }
}

/** Recognizes the WebSocket that Next's bundler uses to notify open pages of changed sources. */
const isOfBundler = ({ url = '', headers }: IncomingMessage) => url.startsWith('/_next/') && headers.upgrade?.toLowerCase() === 'websocket'

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto']

/** Next trusts these headers from any client. Without a configured proxy, the address is the connection's. */
function nameClient({ headers, socket }: IncomingMessage): void {
  if (!env().TRUST_PROXY) for (const name of FORWARDED) delete headers[name]
  headers['x-forwarded-for'] ??= socket.remoteAddress
}
