import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { provide } from '../testing/settings.ts'
import { queueByClient } from './client-queue.ts'

/** No request of a test takes this long. */
const NEVER_MS = 600_000
let served: { req: IncomingMessage; res: ServerResponse }[]
let server: Server
let port: number

/** Starts a server that keeps each request in `served`; a test ends them. */
async function start(placeMs: number): Promise<void> {
  const own: typeof served = []
  served = own
  const queue = queueByClient(
    (req, res) => own.push({ req, res }),
    (req) => String(req.headers['x-client']),
    placeMs,
  )
  server = createServer(queue).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as { port: number }).port
}

provide({ BASE_URL: 'http://localhost' })
beforeEach(() => start(NEVER_MS))
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

interface Answer {
  status: number
  retryAfter: string | undefined
}

/** Sends one request. Resolves with its response; undefined when it is cut. */
function ask(path: string, client = 'one', signal?: AbortSignal): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const sent = request({ port, path, host: '127.0.0.1', headers: { 'x-client': client }, signal }, (response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
    })
    sent.on('error', () => resolve(undefined)).end()
  })
}

/** Resolves with the paths in progress, once there are `count`. */
async function underWay(count: number): Promise<string[]> {
  await vi.waitFor(() => expect(served).toHaveLength(count))
  return served.map(({ req }) => req.url ?? '').sort()
}

const answered = () => new Promise<void>((resolve) => server.once('request', () => setImmediate(resolve)))

describe('queueByClient', () => {
  it('serves three requests of a client at once, and those of another client concurrently', async () => {
    for (const path of ['/1', '/2', '/3', '/4']) {
      const arrived = answered()
      void ask(path)
      await arrived
    }
    void ask('/other', 'two')
    expect(await underWay(4)).toEqual(['/1', '/2', '/3', '/other'])
    served[0]?.res.end()
    expect(await underWay(5)).toContain('/4')
  })

  it('separates pages, sign-ins and calls of a client, and does not queue files of a page', async () => {
    for (let at = 0; at < 4; at++) void ask('/page')
    for (let at = 0; at < 4; at++) void ask('/api/auth/session')
    for (let at = 0; at < 4; at++) void ask('/api/trpc/key.list')
    for (let at = 0; at < 4; at++) void ask('/_next/static/a.js')
    const paths = await underWay(13)
    expect(paths.filter((path) => path.startsWith('/_next/'))).toHaveLength(4)
    expect(paths.filter((path) => path === '/page')).toHaveLength(3)
  })

  it('releases the place of an event stream once its headers are sent', async () => {
    for (let at = 0; at < 3; at++) void ask('/api/trpc/events')
    await underWay(3)
    for (const { res } of served) res.setHeader('Content-Type', 'text/event-stream').flushHeaders()
    void ask('/api/trpc/key.list')
    expect(await underWay(4)).toContain('/api/trpc/key.list')
  })

  it('releases the place of a request that waits for something', async () => {
    server.close()
    await start(10)
    for (let at = 0; at < 4; at++) void ask('/page')
    await underWay(4)
    expect(served.every(({ res }) => !res.headersSent)).toBe(true)
  })

  it('removes a waiting request whose client has disconnected', async () => {
    for (let at = 0; at < 3; at++) void ask('/page')
    await underWay(3)
    const leaving = new AbortController()
    const arrived = once(server, 'request')
    const left = ask('/left', 'one', leaving.signal)
    const [, response] = (await arrived) as [IncomingMessage, ServerResponse]
    const noticed = once(response, 'close')
    leaving.abort()
    expect(await left).toBeUndefined()
    await noticed
    void ask('/after')
    served[0]?.res.end()
    expect(await underWay(4)).not.toContain('/left')
  })

  it('refuses requests of a client of which 500 already wait', async () => {
    const all = Array.from({ length: 520 }, () => ask('/flood'))
    await underWay(3)
    const first = await Promise.race(all)
    expect(first).toEqual({ status: 503, retryAfter: '2' })
  })
})
