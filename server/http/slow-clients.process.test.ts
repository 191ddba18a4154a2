import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { rounds } from '../testing/media/rounds.ts'
import { type RawConnection, rawConnection } from '../testing/raw.ts'
import { startWebProcess, type WebProcess } from '../testing/services/web-process.ts'
import { makeHttpServer } from './http-server.ts'

await testDatabase()
let server: WebProcess
/** Ends slow clients after a second instead of 15 and 120. */
let strictServer: WebProcess
let key: string
let videoId: string
beforeAll(async () => {
  const owner = await makeAccount()
  key = (await makeKey(owner)).value
  videoId = await makeVideo(owner)
  for (let index = 0; index < 40; index++) await makeVideo(owner, { description: 'x'.repeat(5_000) })
  server = await startWebProcess()
  strictServer = await startWebProcess({ limits: { headersTimeout: 1_000, timeout: 1_000 } })
})

const HOST = 'Host: video.example.com\r\n'
const VIDEO = () => `/v1/video/${videoId}`
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${HOST}x-service-key: ${key}\r\n${more}\r\n`

const isWell = async (process = server) =>
  expect((await send(`${process.url}${VIDEO()}`, { headers: { 'x-service-key': key } })).status).toBe(200)

describe.concurrent('slow clients', () => {
  /** Ways to hold a connection without a complete request; the response that each receives, if any. */
  const SLOW: Record<string, { open: () => string; drip?: string }> = {
    'sends nothing': { open: () => '' },
    'never ends its first line': { open: () => 'GET /v1/vi', drip: 'd' },
    'never ends its headers': { open: () => `GET ${VIDEO()} HTTP/1.1\r\n${HOST}X-A: `, drip: 'a' },
    'sends headers one by one': { open: () => `GET ${VIDEO()} HTTP/1.1\r\n${HOST}`, drip: 'X-A: b\r\n' },
  }

  test.each(Object.entries(SLOW))('disconnects a client that %s', async (_name, { open, drip }) => {
    const connection = await rawConnection(strictServer.url, open())
    const dripping = setInterval(() => drip && connection.write(drip), 50)
    const answers = await connection.ended
    clearInterval(dripping)
    expect(answers.filter(({ status }) => status !== 408)).toEqual([])
  })

  test.each([
    ['a body that never arrives', 'Content-Length: 9\r\n', ''],
    ['a body sent byte by byte', 'Content-Length: 9000\r\n', 'x'],
    ['a body of endless chunks', 'Transfer-Encoding: chunked\r\n', '1\r\nx\r\n'],
    ['a body of endless chunks, fast', 'Transfer-Encoding: chunked\r\n', `3e8\r\n${'x'.repeat(1_000)}\r\n`],
  ])('%s: responds, then disconnects', async (_name, header, drip) => {
    const connection = await rawConnection(server.url, get(VIDEO(), header))
    const dripping = setInterval(() => connection.write(drip), 20)
    const answers = await connection.ended
    clearInterval(dripping)
    expect(answers.map(({ status }) => status)).toEqual([200])
  })

  test('disconnects a client that does not read its responses', async () => {
    const connection = await rawConnection(strictServer.url)
    connection.socket.pause()
    const closed = new Promise<void>((resolve) => connection.socket.once('close', () => resolve()))
    connection.write(get('/v1/video').repeat(200))
    // A paused socket notices its end only when it writes.
    const writing = setInterval(() => connection.write(get(VIDEO())), 100)
    await closed
    clearInterval(writing)
    await isWell(strictServer)
  })

  test('disconnects a client that sends garbage and does not read', async () => {
    const connection = await rawConnection(server.url)
    connection.socket.pause()
    const closed = new Promise<void>((resolve) => connection.socket.once('close', () => resolve()))
    connection.write(`${get('/v1/video').repeat(200)}\0\0\0`)
    const writing = setInterval(() => connection.write('\0'), 100)
    await closed
    clearInterval(writing)
    await isWell()
  })

  test('has the documented limits', async () => {
    const { headersTimeout, timeout, keepAliveTimeout } = await makeHttpServer(() => {})
    expect({ headersTimeout, timeout, keepAliveTimeout }).toEqual({ headersTimeout: 15_000, timeout: 120_000, keepAliveTimeout: 65_000 })
  })
})

const [ROUNDS, REQUESTS] = [rounds(1, 3), rounds(500, 2_000)]

describe('with 1,000 slow connections', () => {
  /** Sends requests over 16 connections; each must succeed. Returns how many did. */
  async function served(): Promise<number> {
    let left = REQUESTS
    let done = 0
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (left-- > 0) {
          await isWell()
          done++
        }
      }),
    )
    return done
  }

  test('responds to all other clients', async () => {
    const ways = ['', `GET ${VIDEO()} HTTP/1.1\r\n${HOST}X-A: `, get('/v1/video', 'Content-Length: 9\r\n'), get('/v1/video').repeat(8)]
    for (let round = 0; round < ROUNDS; round++) {
      const slow: RawConnection[] = []
      for (let count = 0; count < 1_000; count++) {
        const connection = await rawConnection(server.url)
        // Of each four, the last requests much and reads nothing.
        if (count % 4 === 3) connection.socket.pause()
        connection.write(ways[count % 4] as string)
        slow.push(connection)
      }
      const dripping = setInterval(() => {
        for (let count = 1; count < 1_000; count += 4) slow[count]?.write('a')
      }, 200)
      // Their requests are served first, as far as they read.
      for (let round = 0; round < 50; round++) await isWell()
      expect(await served()).toBe(REQUESTS)
      clearInterval(dripping)
      // Those without a whole request may have been disconnected after 15 s; the others are still connected.
      const open = slow.filter(({ socket }) => !socket.closed)
      expect(open.length).toBeGreaterThan(0)
      const closed = open.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)))
      for (const { socket } of slow) socket.destroy()
      await Promise.all(closed)
      for (let round = 0; round < 50; round++) await isWell()
    }
  })
})
