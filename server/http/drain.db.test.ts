import { Agent, type ClientRequest, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { send } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { renew } from '../testing/settings.ts'
import { leaveService } from './drain.ts'
import { closeHttpServer, makeHttpServer } from './http-server.ts'

await testDatabase()

let headers: Record<string, string>
let path: string
beforeAll(async () => {
  const owner = await makeAccount()
  headers = { 'x-service-key': (await makeKey(owner)).value }
  path = `/v1/video/${await makeVideo(owner)}`
})

const servers: Server[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.listening && closeHttpServer(server, 100)))
  renew('readiness')
})

/** A response of the pages that lasts until the test ends it, and a body that it counts. */
const held: { finish?: () => void; received: number } = { received: 0 }

async function start(): Promise<{ server: Server; url: string; port: number }> {
  held.received = 0
  const server = await makeHttpServer((req, res) => {
    res.writeHead(200).write('first')
    req.on('data', (part: Buffer) => (held.received += part.length))
    held.finish = () => res.end(' last')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { server, url: `http://127.0.0.1:${port}`, port }
}

const never = new AbortController().signal

/** Resolves with what a connection attempt results in. */
const knock = (port: number) =>
  new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.destroy())
    socket.once('close', () => resolve('accepted')).once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'failed'))
  })

/** Starts a request whose body the test writes; resolves once the first bytes of its response have arrived. */
async function hold(url: string): Promise<{ sent: ClientRequest; whole: Promise<string> }> {
  let whole: Promise<string> | undefined
  const sent = request(`${url}/slow`, { method: 'PUT', agent: new Agent({ keepAlive: true }) })
  sent.flushHeaders()
  await new Promise<void>((resolve, reject) => {
    sent.on('error', reject).once('response', (response) => {
      let text = ''
      whole = new Promise((done, failed) => {
        response
          .on('data', (part) => (text += part))
          .on('end', () => done(text))
          .on('error', failed)
      })
      response.once('data', () => resolve())
    })
  })
  return { sent, whole: whole as Promise<string> }
}

test('a balancer that follows /readyz loses no request while a process leaves', async () => {
  const { server, url, port } = await start()
  const agent = new Agent({ keepAlive: true })
  const answers: { status: number; closes: boolean; draining: boolean }[] = []
  const failures: unknown[] = []
  let [inService, leaving] = [true, false]
  const check = (async () => {
    for (; inService; await wait(20)) inService = (await send(`${url}/readyz`)).status === 200
  })()
  const clients = Array.from({ length: 8 }, async () => {
    while (inService) {
      const draining = leaving
      await send(url + path, { headers, agent }).then(
        (answer) => answers.push({ status: answer.status, closes: answer.headers.connection === 'close', draining }),
        (error) => failures.push(error),
      )
    }
  })
  await expect.poll(() => answers.length).toBeGreaterThan(50)
  leaving = true
  const left = leaveService(server, { drainMs: 300, graceMs: 5_000, hurry: never })
  await Promise.all([check, ...clients])
  const late = await send(url + path, { headers, agent })
  expect([late.status, late.headers.connection]).toEqual([200, 'close'])
  const ready = await send(`${url}/readyz`)
  expect([ready.status, JSON.parse(ready.body)]).toEqual([503, { status: 'unavailable', checks: { process: 'draining' } }])
  await left
  expect(await knock(port)).toBe('ECONNREFUSED')
  expect(failures).toEqual([])
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(answers.filter(({ draining, closes }) => draining && !closes)).toEqual([])
})

test('a running download and a running upload end after the port is closed', async () => {
  const { server, url, port } = await start()
  const { sent, whole } = await hold(url)
  sent.write('x'.repeat(1_000))
  await expect.poll(() => held.received).toBe(1_000)
  const closing = Promise.withResolvers<void>()
  const left = leaveService(server, { drainMs: 50, graceMs: 20_000, hurry: never }, closing.resolve)
  await closing.promise
  await expect.poll(() => knock(port)).toBe('ECONNREFUSED')
  sent.end('x'.repeat(1_000))
  await expect.poll(() => held.received).toBe(2_000)
  held.finish?.()
  expect(await whole).toBe('first last')
  await left
})

test('what still runs after the grace is cut', async () => {
  const { server, url } = await start()
  const { whole } = await hold(url)
  const cut = expect(whole).rejects.toThrow('aborted')
  await leaveService(server, { drainMs: 0, graceMs: 100, hurry: never })
  await cut
})

test('an operator who waits skips the drain', async () => {
  const { server, port } = await start()
  const hurry = new AbortController()
  const left = leaveService(server, { drainMs: 3_600_000, graceMs: 3_600_000, hurry: hurry.signal })
  expect(await knock(port)).toBe('accepted')
  hurry.abort()
  await left
  expect(await knock(port)).toBe('ECONNREFUSED')
})
