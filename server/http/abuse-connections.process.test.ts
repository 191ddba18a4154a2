import { execFile } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { type RawResponse, rawConnection } from '../testing/raw.ts'
import { provide } from '../testing/settings.ts'
import { cookieFor } from '../testing/sign-in.ts'
import { closeHttpServer, makeHttpServer } from './http-server.ts'

await testDatabase()
provide({ REELGATE_TEST_BODY_SEC: '2', REELGATE_TEST_UPLOAD_STALL_SEC: '2' })

/** Attaches a listener that responds to nothing, as Next does with its first request. */
const attachLikeNext = (server: EventEmitter) => server.on('upgrade', () => {})
const handled: string[] = []
const server = await makeHttpServer(async (req, res) => {
  const parts: Buffer[] = []
  try {
    for await (const part of req) parts.push(part as Buffer)
    const text = `got ${Buffer.concat(parts).length}`
    res.writeHead(200, { 'Content-Length': text.length }).end(text)
  } catch {
    handled.push(req.url ?? '')
    // Like the handler of a page, which does not check the connection.
    if (!res.headersSent) res.writeHead(500).end()
  }
})
attachLikeNext(server)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const baseUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`
provide({ BASE_URL: baseUrl })
afterAll(() => closeHttpServer(server, 500))

let owner: AccountCtx
let key: string
let videoId: string
let cookie: string
beforeAll(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner)).value
  videoId = await makeVideo(owner)
  cookie = await cookieFor(owner)
})

const HOST = 'Host: localhost\r\n'
const openSockets = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

/** Returns error code, status and end of a refusal; throws unless it is a complete error of the table. */
function refusal({ status, headers, body }: RawResponse) {
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': expect.stringMatching(/^req_/) })
  return [status, JSON.parse(body).error.code, headers.connection]
}

describe('a request for another protocol is handled as HTTP/1.1', () => {
  const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n'
  const WEBSOCKET =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
  const PATHS: [string, () => string, number][] = [
    ['GET', () => `/v1/video/${videoId}`, 200],
    ['POST', () => `/v1/video/${videoId}/playback-token`, 200],
    ['GET', () => `/cdn/hls/${videoId}/x/master.m3u8`, 401],
    ['GET', () => '/healthz', 200],
    ['GET', () => '/readyz', 200],
    ['DELETE', () => '/api/upload/x', 401],
    ['GET', () => '/sign-in', 200],
  ]
  // Sequential: Node drops what follows such a request before its response, which no client may send (RFC 9110 §7.8).
  test.each(PATHS)('%s %s', async (method, path, status) => {
    for (const ask of [H2C, WEBSOCKET]) {
      const request = `${method} ${path()} HTTP/1.1\r\n${HOST}x-service-key: ${key}\r\n${ask}\r\n`
      const connection = await rawConnection(baseUrl, request)
      await connection.responses(1)
      connection.write(`GET /v1/nothing HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
      const [first, second] = await connection.ended
      expect([first?.status, second?.status]).toEqual([status, 404])
    }
  })

  test('its body is read as such', async () => {
    const connection = await rawConnection(baseUrl, `POST /page HTTP/1.1\r\n${HOST}${H2C}Content-Length: 3\r\n\r\nabc`)
    await connection.responses(1)
    connection.write(`GET /page HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
    expect((await connection.ended).map(({ body }) => body)).toEqual(['got 3', 'got 0'])
  })

  test('2,000 of them leave no connection open', async () => {
    const request = `GET /healthz HTTP/1.1\r\n${HOST}Connection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n`
    for (let batch = 0; batch < 20; batch++) {
      const connections = await Promise.all(Array.from({ length: 100 }, () => rawConnection(baseUrl, request)))
      const answers = await Promise.all(connections.map(({ ended }) => ended))
      expect(answers.every(([answer]) => answer?.status === 200)).toBe(true)
    }
    await expect.poll(openSockets).toBe(0)
  })

  const run = promisify(execFile)
  test('curl --http2', async (context) => {
    const version = await run('curl', ['--version']).catch(() => undefined)
    if (!version?.stdout.includes('HTTP2')) return context.skip()
    const target = `${baseUrl}/v1/video/${videoId}`
    const { stdout } = await run('curl', [
      '--silent',
      '--http2',
      '--max-time',
      '30',
      '-H',
      `x-service-key: ${key}`,
      '-w',
      ' %{http_code} %{http_version}',
      target,
    ])
    expect(stdout).toMatch(/"success":true.* 200 1\.1$/)
  })
})

/** Opens a request and sends `part` repeatedly until the connection ends. */
async function drip(head: string, part: string, everyMs = 50) {
  const connection = await rawConnection(baseUrl, head)
  const dripping = setInterval(() => connection.write(part), everyMs)
  const answers = await connection.ended.finally(() => clearInterval(dripping))
  return answers
}

describe.concurrent('a body that does not arrive', () => {
  const tusHeaders = () => `${HOST}Tus-Resumable: 1.0.0\r\nCookie: ${cookie}\r\n`

  async function beginUpload(bytes: number): Promise<string> {
    const title = Buffer.from('Slow').toString('base64')
    const filename = Buffer.from('slow.mp4').toString('base64')
    const response = await fetch(`${baseUrl}/api/upload`, {
      method: 'POST',
      headers: {
        Cookie: cookie,
        'Tus-Resumable': '1.0.0',
        'Upload-Length': String(bytes),
        'Upload-Metadata': `title ${title},filename ${filename}`,
      },
    })
    expect(response.status).toBe(201)
    return new URL(response.headers.get('location') as string, baseUrl).pathname
  }
  const patch = (path: string, bytes: number) =>
    `PATCH ${path} HTTP/1.1\r\n${tusHeaders()}Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: ${bytes}\r\n\r\n`
  const offsetOf = async (path: string) =>
    (await fetch(baseUrl + path, { method: 'HEAD', headers: { Cookie: cookie, 'Tus-Resumable': '1.0.0' } })).headers.get('upload-offset')

  test.each([
    ['of a page, byte by byte', `POST /page HTTP/1.1\r\n${HOST}Content-Length: 9000\r\n\r\n`, 'x'],
    ['of a page, in endless chunks', `POST /page HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'],
    ['of a page, with no bytes', `POST /page HTTP/1.1\r\n${HOST}Content-Length: 9000\r\n\r\n`, ''],
    ['of an upload, byte by byte', '', 'x'],
  ])('%s: 408 in the envelope, and the connection ends', async (name, head, part) => {
    const answers = await drip(name.includes('upload') ? patch(await beginUpload(1_000_000), 1_000_000) : head, part)
    expect(answers.map(refusal)).toEqual([[408, 'REQUEST_TIMEOUT', 'close']])
  })

  test('of a request that received its response without it: the connection ends', async () => {
    expect((await drip(`GET /healthz HTTP/1.1\r\n${HOST}Content-Length: 9000\r\n\r\n`, 'x')).map(({ status }) => status)).toEqual([200])
  })

  test('after other requests on one connection: those are served first', async () => {
    const answers = await drip(`GET /v1/nothing HTTP/1.1\r\n${HOST}\r\nPOST /page HTTP/1.1\r\n${HOST}Content-Length: 9000\r\n\r\n`, 'x')
    expect(answers.map(({ status }) => status)).toEqual([404, 408])
  })

  test('received bytes of a slow upload are kept, and it can be resumed', async () => {
    const path = await beginUpload(1_000_000)
    await drip(patch(path, 1_000_000), 'x')
    await vi.waitFor(async () => expect(Number(await offsetOf(path))).toBeGreaterThan(0))
  })

  test('an upload that is slow but sustains the minimum rate arrives, over several times the limit', async () => {
    const bytes = 120_000
    const path = await beginUpload(bytes)
    const connection = await rawConnection(baseUrl, patch(path, bytes))
    // More than twice the limit, by the clock of the server that ends the slow ones.
    const dripping = await rawConnection(baseUrl, `POST /page HTTP/1.1\r\n${HOST}Content-Length: 9\r\n\r\n`)
    let sent = 0
    const sending = setInterval(() => {
      if (sent >= bytes - 1_000) return
      connection.write('x'.repeat(1_000))
      sent += 1_000
    }, 50)
    await dripping.ended
    await drip(`POST /page HTTP/1.1\r\n${HOST}Content-Length: 9\r\n\r\n`, '')
    clearInterval(sending)
    connection.write('x'.repeat(bytes - sent))
    const [answer] = await connection.responses(1)
    connection.socket.destroy()
    // The upload is complete and then refused as no video: it was not cut.
    expect(answer?.status).not.toBe(408)
    expect(answer?.status).toBeLessThan(500)
  })
})

test('a handler that waits for the rest of such a body receives an error', () => {
  expect(handled.length).toBeGreaterThan(0)
})
