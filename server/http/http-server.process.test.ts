import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { type RawResponse, rawConnection } from '../testing/raw.ts'
import { startWebProcess, type WebProcess } from '../testing/services/web-process.ts'

await testDatabase()
let server: WebProcess
let key: string
let videoId: string
beforeAll(async () => {
  const owner = await makeAccount()
  key = (await makeKey(owner)).value
  videoId = await makeVideo(owner)
  for (let index = 0; index < 40; index++) await makeVideo(owner, { description: 'x'.repeat(5_000) })
  server = await startWebProcess()
})

const HOST = 'Host: video.example.com\r\n'
const withKey = () => `${HOST}x-service-key: ${key}\r\n`
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${withKey()}${more}\r\n`
const VIDEO = () => `/v1/video/${videoId}`

/** Writes and waits for one response, or the end. */
async function ask(bytes: string): Promise<RawResponse | 'closed'> {
  const connection = await rawConnection(server.url, bytes)
  const [first] = await connection.responses(1)
  connection.socket.destroy()
  return first ?? 'closed'
}

const isWell = async () => expect((await send(`${server.url}${VIDEO()}`, { headers: { 'x-service-key': key } })).status).toBe(200)

/** Asserts a complete error of the table. */
function expectError(answer: RawResponse | 'closed', status: number, code: string): void {
  if (answer === 'closed') throw new Error('closed')
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'x-request-id': expect.stringMatching(/^req_/) })
  expect({ status: answer.status, body: JSON.parse(answer.body) }).toMatchObject({
    status,
    body: { success: false, error: { code, status, requestId: answer.headers['x-request-id'] } },
  })
}

type Outcome = number | 'closed' | [status: number, code: string]

const MALFORMED: [string, () => string, Outcome][] = [
  ['a header of 40 KB', () => get(VIDEO(), `X-Long: ${'x'.repeat(40_000)}\r\n`), [413, 'PAYLOAD_TOO_LARGE']],
  ['a key of 40 KB', () => `GET ${VIDEO()} HTTP/1.1\r\n${HOST}x-service-key: ${'k'.repeat(40_000)}\r\n\r\n`, [413, 'PAYLOAD_TOO_LARGE']],
  ['an address of 40 KB', () => get(`/v1/video/${'v'.repeat(40_000)}`), [413, 'PAYLOAD_TOO_LARGE']],
  ['a query of 40 KB', () => get(`/v1/video?cursor=${'c'.repeat(40_000)}`), [413, 'PAYLOAD_TOO_LARGE']],
  ['10,000 small headers', () => get(VIDEO(), 'X-A: b\r\n'.repeat(10_000)), [413, 'PAYLOAD_TOO_LARGE']],
  ['no HTTP at all', () => 'hello there\r\n\r\n', [400, 'INVALID_REQUEST']],
  ['zeros', () => '\0'.repeat(100), [400, 'INVALID_REQUEST']],
  ['the handshake of TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400, 'INVALID_REQUEST']],
  ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 'INVALID_REQUEST']],
  ['an unknown version', () => `GET ${VIDEO()} HTTP/1.9\r\n${withKey()}\r\n`, [400, 'INVALID_REQUEST']],
  ['a method in lower case', () => get(VIDEO()).replace('GET', 'get'), [400, 'INVALID_REQUEST']],
  ['an unknown method', () => get(VIDEO()).replace('GET', 'STEAL'), [400, 'INVALID_REQUEST']],
  ['a space in the address', () => get('/v1/video/a b'), [400, 'INVALID_REQUEST']],
  ['a NUL in the address', () => get('/v1/video/a\0b'), [400, 'INVALID_REQUEST']],
  ['a NUL in a header', () => get(VIDEO(), 'X-A: a\0b\r\n'), [400, 'INVALID_REQUEST']],
  ['a space before the colon', () => get(VIDEO(), 'X-A : b\r\n'), [400, 'INVALID_REQUEST']],
  ['a header without a name', () => get(VIDEO(), ': b\r\n'), [400, 'INVALID_REQUEST']],
  ['a header without a colon', () => get(VIDEO(), 'nonsense\r\n'), [400, 'INVALID_REQUEST']],
  ['a bare carriage return', () => get(VIDEO(), 'X-A: a\rb\r\n'), [400, 'INVALID_REQUEST']],
  ['a folded header', () => get(VIDEO(), 'X-A: a\r\n b\r\n'), [400, 'INVALID_REQUEST']],
  ['an address with bytes beyond ASCII', () => get('/v1/video/vid_\xe9\xff'), [400, 'INVALID_REQUEST']],
  ['a negative length', () => get(VIDEO(), 'Content-Length: -1\r\n'), [400, 'INVALID_REQUEST']],
  ['a length that is no number', () => get(VIDEO(), 'Content-Length: many\r\n'), [400, 'INVALID_REQUEST']],
  ['two lengths', () => get(VIDEO(), 'Content-Length: 1\r\nContent-Length: 2\r\n'), [400, 'INVALID_REQUEST']],
  [
    'a length and chunks',
    () => `${get(VIDEO(), 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n`,
    [400, 'INVALID_REQUEST'],
  ],
  ['an unknown encoding', () => get(VIDEO(), 'Transfer-Encoding: chunked, nonsense\r\n'), [400, 'INVALID_REQUEST']],
  ['no host', () => `GET ${VIDEO()} HTTP/1.1\r\nx-service-key: ${key}\r\n\r\n`, 400],
  ['CONNECT', () => `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, 'closed'],
]

const UNUSUAL: [string, () => string, Outcome][] = [
  ['HTTP/0.9', () => `GET ${VIDEO()}\r\n\r\n`, [401, 'API_KEY_REQUIRED']],
  ['HTTP/1.0', () => `GET ${VIDEO()} HTTP/1.0\r\nx-service-key: ${key}\r\n\r\n`, 200],
  ['a percent-encoded id', () => get(VIDEO().replace('vid_', '%76%69%64%5f')), 200],
  ['an id of broken percent-encoding', () => get('/v1/video/%E0%A4%A'), [404, 'VIDEO_NOT_FOUND']],
  ['dots in the address', () => get(`/v1/../v1${VIDEO().slice(3)}`), [404, 'NOT_FOUND']],
  ['two slashes', () => get(`/v1//video/${videoId}`), [404, 'NOT_FOUND']],
  ['a fragment', () => get(`${VIDEO()}#x`), [404, 'VIDEO_NOT_FOUND']],
  ['headers beyond ASCII', () => get(VIDEO(), 'User-Agent: \xe9\xff\r\nX-\x21: \xe9\r\n'), 200],
  ['a key beyond ASCII', () => `GET ${VIDEO()} HTTP/1.1\r\n${HOST}x-service-key: \xe9\xff\r\n\r\n`, [401, 'INVALID_API_KEY']],
  ['the key twice', () => get(VIDEO(), `x-service-key: ${key}\r\n`), [401, 'INVALID_API_KEY']],
  ['the header of the key in capitals', () => get(VIDEO()).replace('x-service-key', 'X-SERVICE-KEY'), 200],
  ['If-None-Match twice', () => get(VIDEO(), 'If-None-Match: "a"\r\nIf-None-Match: "b"\r\n'), 200],
  ['Range, where there are no ranges', () => get(VIDEO(), 'Range: bytes=0-1\r\n'), 200],
  ['an upgrade to WebSocket', () => get(VIDEO(), 'Connection: Upgrade\r\nUpgrade: websocket\r\n'), 200],
  ['an unknown expectation', () => get(VIDEO(), 'Expect: miracles\r\n'), 200],
  ['100-continue', () => `${get(VIDEO(), 'Expect: 100-continue\r\nContent-Length: 2\r\n')}{}`, 200],
  ['a body on GET', () => `${get(VIDEO(), 'Content-Length: 2\r\n')}{}`, 200],
  ['a body of the wrong type', () => `${get(VIDEO(), 'Content-Type: text/xml\r\nContent-Length: 4\r\n')}<x/>`, 200],
  ['a body in chunks', () => `${get(VIDEO(), 'Transfer-Encoding: chunked\r\n')}2\r\n{}\r\n0\r\n\r\n`, 200],
  ['a body that never arrives', () => get(VIDEO(), 'Content-Length: 9\r\n'), 200],
  ['a body declared as huge', () => get(VIDEO(), 'Content-Length: 99999999\r\n'), [413, 'PAYLOAD_TOO_LARGE']],
  ['TRACE', () => get(VIDEO()).replace('GET', 'TRACE'), [405, 'METHOD_NOT_ALLOWED']],
]

describe('malformed or unusual requests receive their error and leave the server working', () => {
  test.each([...MALFORMED, ...UNUSUAL])('%s', async (_name, bytes, outcome) => {
    const answer = await ask(bytes())
    if (Array.isArray(outcome)) expectError(answer, ...outcome)
    else expect(answer === 'closed' ? answer : answer.status).toBe(outcome)
    await isWell()
  })

  test.each(MALFORMED.filter(([, , outcome]) => outcome !== 200))('%s: the connection ends', async (_name, bytes) => {
    const connection = await rawConnection(server.url, bytes())
    expect((await connection.ended).length).toBeLessThanOrEqual(1)
  })
})

describe('several requests on one connection', () => {
  test('pipelined requests receive their responses in order', async () => {
    const connection = await rawConnection(
      server.url,
      get(VIDEO()) +
        get('/v1/nothing') +
        get('/v1/video?limit=1') +
        get(VIDEO()).replace('GET', 'HEAD').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    )
    const [one, two, three] = await connection.responses(3)
    expect([one?.status, two?.status, three?.status]).toEqual([200, 404, 200])
    expect(JSON.parse(three?.body as string).data).toHaveLength(1)
  })

  test.each(['garbage\r\n\r\n', '\0\0\0', 'GET / HTTP/9\r\n\r\n', `x: ${'y'.repeat(40_000)}`])(
    'after a valid request follows %.12j: the first response is complete, then the connection ends',
    async (garbage) => {
      const connection = await rawConnection(server.url, get('/v1/video') + garbage)
      // `ended` rejects if anything except complete responses arrived.
      const [first, ...others] = await connection.ended
      expect(first?.status).toBe(200)
      expect(JSON.parse(first?.body as string).data).toHaveLength(41)
      expect(others.length).toBeLessThanOrEqual(1)
    },
  )

  test('a body cannot smuggle a request in', async () => {
    const inner = get('/v1/nothing')
    const connection = await rawConnection(
      server.url,
      get(VIDEO(), `Content-Length: ${inner.length}\r\n`) + inner + get(VIDEO(), 'Connection: close\r\n'),
    )
    expect((await connection.ended).map(({ status }) => status)).toEqual([200, 200])
  })
})
