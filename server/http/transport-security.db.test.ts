import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { makeAccount, makeKey } from '../testing/make.ts'
import { rawConnection } from '../testing/raw.ts'
import { provide } from '../testing/settings.ts'

await testDatabase()
const server = await startHttpServer()
let key: string
beforeAll(async () => {
  key = (await makeKey(await makeAccount())).value
})
afterAll(() => provide({ BASE_URL: 'http://localhost', TRUST_PROXY: 'false' }))

const HOST = 'Host: localhost\r\n'
const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\n${HOST}x-service-key: ${key}\r\nConnection: close\r\n${more}\r\n`
const ASKED: [string, (more?: string) => string][] = [
  ['a response of the API', (more) => request('/v1/video', more)],
  ['an error of the API', (more) => request('/v1/nothing', more)],
  ['a playlist', (more) => request('/cdn/hls/vid_x/x/master.m3u8', more)],
  ['health', (more) => request('/healthz', more)],
  ['readiness', (more) => request('/readyz', more)],
  ['an upload', (more) => request('/api/upload/x', more)],
  ['a page', (more) => request('/sign-in', more)],
  ['a refused body', (more) => request('/v1/video', `${more}Content-Length: 99999999\r\n`)],
]

async function security(bytes: string): Promise<string | undefined> {
  const connection = await rawConnection(server, bytes)
  const [answer] = await connection.ended
  expect(answer?.status).toBeGreaterThanOrEqual(200)
  return answer?.headers['strict-transport-security']
}

describe.each(ASKED)('%s', (_name, bytes) => {
  test('carries Strict-Transport-Security where the service is at an https address', async () => {
    provide({ BASE_URL: 'https://video.example.com', TRUST_PROXY: 'false' })
    expect(await security(bytes(''))).toBe('max-age=31536000')
  })

  test('carries it where a trusted proxy reports https for this request', async () => {
    provide({ BASE_URL: 'http://localhost', TRUST_PROXY: 'true' })
    expect(await security(bytes('X-Forwarded-Proto: https\r\n'))).toBe('max-age=31536000')
    expect(await security(bytes('X-Forwarded-Proto: https, http\r\n'))).toBeUndefined()
    expect(await security(bytes('X-Forwarded-Proto: http\r\n'))).toBeUndefined()
  })

  test('does not carry it because of an untrusted header', async () => {
    provide({ BASE_URL: 'http://localhost', TRUST_PROXY: 'false' })
    expect(await security(bytes('X-Forwarded-Proto: https\r\n'))).toBeUndefined()
  })
})

test.each([
  ['an invalid request', 'nonsense\r\n\r\n'],
  ['headers that are too long', `GET / HTTP/1.1\r\n${HOST}X-A: ${'x'.repeat(40_000)}\r\n\r\n`],
])('the refusal of %s carries it as well', async (_name, bytes) => {
  provide({ BASE_URL: 'https://video.example.com', TRUST_PROXY: 'false' })
  expect(await security(bytes)).toBe('max-age=31536000')
  provide({ BASE_URL: 'http://localhost', TRUST_PROXY: 'true' })
  expect(await security(bytes)).toBeUndefined()
  // On a connection that has carried a request over https.
  const connection = await rawConnection(server, `GET /healthz HTTP/1.1\r\n${HOST}X-Forwarded-Proto: https\r\n\r\n`)
  await connection.responses(1)
  connection.write(bytes)
  const answers = await connection.ended
  expect(answers.map(({ headers }) => headers['strict-transport-security'])).toEqual(['max-age=31536000', 'max-age=31536000'])
})
