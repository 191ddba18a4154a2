import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { asCaller } from '../platform/turns/caller.ts'
import { Turns } from '../platform/turns/turns.ts'
import { provide } from '../testing/settings.ts'
import { PAGES, servePagesByTurns } from './page-turns.ts'
import { RequestCaller } from './request-caller.ts'

/** No request of a test takes this long. */
const NEVER_MS = 600_000
let served: { req: IncomingMessage; res: ServerResponse }[]
let server: Server
let port: number

/** Starts a server that keeps each request in `served`; a test ends them. */
async function start(placeMs: number): Promise<void> {
  const own: typeof served = []
  served = own
  const queue = servePagesByTurns((req, res) => own.push({ req, res }), new Turns(PAGES), placeMs)
  server = createServer((req, res) => asCaller(new RequestCaller(req), () => queue(req, res))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as { port: number }).port
}

provide({ BASE_URL: 'http://localhost', TRUST_PROXY: 'true' })
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
function ask(path: string, client = '192.0.2.1', signal?: AbortSignal): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const sent = request({ port, path, host: '127.0.0.1', headers: { 'x-forwarded-for': client }, signal }, (response) => {
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

describe('servePagesByTurns', () => {
  it('serves three requests of a network at once, and those of another concurrently', async () => {
    for (const path of ['/1', '/2', '/3', '/4']) {
      const arrived = answered()
      void ask(path)
      await arrived
    }
    void ask('/other', '198.51.100.1')
    expect(await underWay(4)).toEqual(['/1', '/2', '/3', '/other'])
    served[0]?.res.end()
    expect(await underWay(5)).toContain('/4')
  })

  it('gives the many addresses of a site in IPv6 the places of one network', async () => {
    for (let at = 0; at < 5; at++) {
      const arrived = answered()
      void ask(`/${at}`, `2001:db8:0:aa0${at}::1`)
      await arrived
    }
    void ask('/other', '2001:db8:1::1')
    expect(await underWay(4)).toEqual(['/0', '/1', '/2', '/other'])
  })

  it('separates pages, sign-ins and calls of a client, and does not queue files of a page', async () => {
    for (let at = 0; at < 4; at++) void ask('/page')
    for (let at = 0; at < 4; at++) void ask('/api/auth/session')
    for (let at = 0; at < 4; at++) void ask('/api/trpc/key.list')
    for (let at = 0; at < 4; at++) void ask('/_next/static/a.js')
    const paths = await underWay(9)
    expect(paths.filter((path) => path.startsWith('/_next/'))).toHaveLength(4)
    // Pages took three places while nothing else waited.
    expect(paths.filter((path) => path === '/page')).toHaveLength(3)
    expect(paths).toEqual(expect.arrayContaining(['/api/auth/session', '/api/trpc/key.list']))
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
    const left = ask('/left', '192.0.2.1', leaving.signal)
    const [, response] = (await arrived) as [IncomingMessage, ServerResponse]
    const noticed = once(response, 'close')
    leaving.abort()
    expect(await left).toBeUndefined()
    await noticed
    void ask('/after')
    served[0]?.res.end()
    expect(await underWay(4)).not.toContain('/left')
  })

  it('refuses requests of a network of which too many already wait, whatever address they come from', async () => {
    const all = Array.from({ length: 410 }, (_, at) => ask('/flood', `192.0.2.${at % 250}`))
    await underWay(3)
    expect(await Promise.race(all)).toEqual({ status: 429, retryAfter: '2' })
    void ask('/other', '198.51.100.1')
    expect(await underWay(4)).toContain('/other')
  })
})
