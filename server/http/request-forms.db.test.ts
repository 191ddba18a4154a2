import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { testDatabase } from '../testing/database.ts'
import { uploadCaller } from '../testing/direct-upload.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { makeAccount } from '../testing/make.ts'
import { cookieFor } from '../testing/sign-in.ts'
import { likeVideo } from '../testing/tus-client.ts'

await testDatabase()
const baseUrl = await startHttpServer()

let owner: AccountCtx
let cookie: string
let caller: Awaited<ReturnType<typeof uploadCaller>>
beforeAll(async () => {
  owner = await makeAccount()
  cookie = await cookieFor(owner)
  caller = await uploadCaller(baseUrl)
})

type Headers_ = Record<string, string>
const TUS = { 'Tus-Resumable': '1.0.0' }
const PART = 'application/offset+octet-stream'
const part = (headers: Headers_ = {}) => ({ ...TUS, 'Upload-Offset': '0', 'Content-Type': PART, ...headers })
const file = new Uint8Array(likeVideo(2_000))

const [TITLE, NAME] = ['title', 'filename'].map((key) => `${key} ${Buffer.from('Clip').toString('base64')}`) as [string, string]
const create = (headers: Headers_ = {}) =>
  fetch(`${baseUrl}/api/upload`, {
    method: 'POST',
    headers: { ...TUS, Cookie: cookie, 'Upload-Length': '2000', 'Upload-Metadata': TITLE, ...headers },
  })
/** Begins an upload of each kind; returns how its requests are sent. */
const KINDS: [string, () => Promise<(method: string, headers: Headers_, body?: BodyInit) => Promise<Response>>][] = [
  [
    'of the dashboard',
    async () => {
      const url = new URL((await create()).headers.get('location') ?? '', baseUrl)
      return (method, headers, body) => fetch(url, { method, headers: { Cookie: cookie, ...headers }, body })
    },
  ],
  [
    'of the API',
    async () => {
      const { uploadUrl } = await caller.create()
      await fetch(uploadUrl, { method: 'POST', headers: { ...TUS, 'Upload-Length': '2000', 'Upload-Metadata': '' } })
      return (method, headers, body) => fetch(uploadUrl, { method, headers, body })
    },
  ],
]

describe.each(KINDS)('an upload %s', (_kind, begin) => {
  it('takes the method of X-HTTP-Method-Override in place of the one that was sent', async () => {
    const send = await begin()
    const sent = await send('POST', part({ 'X-HTTP-Method-Override': 'PATCH' }), file.slice(0, 500))
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, '500'])
    const last = await send('POST', part({ 'X-HTTP-Method-Override': 'patch', 'Upload-Offset': '500' }), file.slice(500))
    expect([last.status, last.headers.get('x-video-id')]).toEqual([204, expect.stringMatching(/^vid_/)])
  })

  it('is cancelled by a POST with DELETE in that header, and refuses a method that it does not know', async () => {
    const send = await begin()
    expect((await send('POST', { ...TUS, 'X-HTTP-Method-Override': 'TRACE' })).status).toBe(405)
    expect((await send('POST', { ...TUS, 'X-HTTP-Method-Override': 'DELETE' })).status).toBe(204)
    expect((await send('HEAD', TUS)).status).toBeGreaterThanOrEqual(400)
  })

  it.each<[string, Headers_]>([
    ['a list of schemes from two proxies', { 'X-Forwarded-Proto': 'https, http' }],
    ['a scheme in upper case', { 'X-Forwarded-Proto': 'HTTPS' }],
    ['a type in another case and with a parameter', { 'Content-Type': 'Application/Offset+Octet-Stream; charset=binary' }],
    ['the encoding “identity”', { 'Content-Encoding': 'identity' }],
  ])('takes bytes with %s', async (_what, headers) => {
    const sent = await (await begin())('PATCH', part(headers), file)
    expect([sent.status, await sent.text()]).toEqual([204, ''])
  })

  it.each(['gzip', 'GZIP', 'br', 'identity, gzip', 'x-unknown'])('refuses bytes with the encoding %s, in words', async (encoding) => {
    const send = await begin()
    const refused = await send('PATCH', part({ 'Content-Encoding': encoding }), gzipSync(file))
    expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([415, 'identity'])
    expect(await refused.text()).toContain('without Content-Encoding')
    expect((await send('HEAD', TUS)).headers.get('upload-offset')).toBe('0')
  })
})

it('takes metadata with blanks around its commas, and in two headers', async () => {
  expect((await create({ 'Upload-Metadata': `${TITLE} , ${NAME}` })).status).toBe(201)
  const twice = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { ...TUS, Cookie: cookie, 'Upload-Length': '9', 'Upload-Metadata': [TITLE, NAME] }
    const sent = request(`${baseUrl}/api/upload`, { method: 'POST', headers }, (res) => {
      res.resume()
      resolve(res.statusCode)
    })
    sent.on('error', reject).end()
  })
  expect(twice).toBe(201)
})

it('a whole file with PUT is refused compressed', async () => {
  const { uploadUrl, uploadId } = await caller.create()
  const refused = await fetch(uploadUrl, { method: 'PUT', headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(file) })
  expect([refused.status, (await refused.json()).error]).toMatchObject([415, { code: 'UNSUPPORTED_MEDIA_TYPE' }])
  expect((await caller.get(uploadId)).status).toBe('waiting')
})

it.each(['gzip', 'deflate', 'identity, br'])(
  'JSON with the encoding %s gets 415 in words, of the API and of every other address',
  async (encoding) => {
    const headers = { 'x-service-key': caller.key, 'Content-Type': 'application/json', 'Content-Encoding': encoding }
    const body = gzipSync(JSON.stringify({ title: 'Clip' }))
    for (const path of ['/v1/upload', '/api/trpc/video.list']) {
      const refused = await fetch(baseUrl + path, { method: 'POST', headers, body })
      expect([refused.status, refused.headers.get('accept-encoding'), (await refused.json()).error]).toMatchObject([
        415,
        'identity',
        { code: 'UNSUPPORTED_MEDIA_TYPE', message: expect.stringContaining('without Content-Encoding') },
      ])
    }
  },
)

it('JSON with the encoding “identity” is read', async () => {
  const accepted = await caller.post({ title: 'Clip' }, { 'content-encoding': 'Identity' })
  expect(accepted.status).toBe(201)
})
