import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { SCOPE_NAMES } from '../scopes.ts'
import { send } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { uploadCaller } from '../testing/direct-upload.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo, makeViewer } from '../testing/make.ts'
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

  it('refuses bytes with a checksum, which nothing compares, and keeps none of them', async () => {
    const send = await begin()
    const refused = await send('PATCH', part({ 'Upload-Checksum': 'sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA=' }), file)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('Checksums are not supported.')])
    expect((await send('HEAD', TUS)).headers.get('upload-offset')).toBe('0')
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

it('metadata in another encoding than UTF-8 is refused, not changed', async () => {
  const latin1 = `title ${Buffer.from('\u00dcbung', 'latin1').toString('base64')}`
  const refused = await create({ 'Upload-Metadata': latin1 })
  expect([refused.status, await refused.text()]).toEqual([400, 'The value of title in Upload-Metadata must be UTF-8 text in Base64.'])
  const { uploadUrl } = await caller.create()
  const headers = { ...TUS, 'Upload-Length': '2000', 'Upload-Metadata': latin1.replace('title', 'filename') }
  const sent = await fetch(uploadUrl, { method: 'POST', headers })
  expect([sent.status, (await sent.json()).error]).toMatchObject([
    400,
    { code: 'INVALID_REQUEST', message: 'The value of filename in Upload-Metadata must be UTF-8 text in Base64.' },
  ])
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

describe('a request to the API', () => {
  let key: string
  let video: string
  beforeAll(async () => {
    key = (await makeKey(owner, { scopes: SCOPE_NAMES })).value
    video = await makeVideo(owner)
  })
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { 'x-service-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const sent = await send(baseUrl + path.replace('{video}', video), { method, headers, body: body as string | undefined })
    return { status: sent.status, ...JSON.parse(sent.body) }
  }

  it.each([
    ['GET', '/v1/video/{video}?expand=metadata&expand=storage', 'expand', 'Send this parameter once.'],
    ['GET', '/v1/billing/usage?from=2026-11-01&from=2026-11-10', 'from', 'Send this parameter once.'],
    ['GET', '/v1/collection?limit=1&limit=2', 'limit', 'Send this parameter once.'],
    ['GET', '/v1/video?metadata[caf%C3%A9]=1&metadata[cafe%CC%81]=2', 'metadata.café', 'Send this parameter once.'],
    ['GET', '/v1/video?q=Fran%E7ais', 'q', 'Percent-encode this parameter as UTF-8.'],
    ['PUT', '/v1/video/{video}/captions/fr?label=Fran%E7ais', 'label', 'Percent-encode this parameter as UTF-8.'],
    ['GET', '/v1/video/{video}/transcript?lang=en', '', 'Remove what this request does not accept: lang.'],
    ['GET', '/v1/viewer?limt=5', '', 'Remove what this request does not accept: limt.'],
    ['GET', '/v1/upload?state=waiting', '', 'Remove what this request does not accept: state.'],
    ['GET', '/v1/billing/usage?from=0000-01-01&to=0000-01-02', 'from', 'Use the format YYYY-MM-DD, such as 2026-03-01.'],
    ['GET', '/v1/video?createdAfter=9999-12-31T23:59:59-12:00', 'createdAfter', 'Use a time such as'],
    ['GET', '/v1/video/playback/manifest/x?exchangeId=%00', 'exchangeId', 'Remove the invisible characters from this text.'],
    ['PUT', '/v1/video/{video}/captions/english', 'language', 'This is not a valid language.'],
    ['PUT', '/v1/video/{video}/captions/en-u-ca-buddhist', 'language', 'This is not a valid language.'],
  ])('%s %s is refused with the name of what is wrong', async (method, path, field, message) => {
    const { status, error } = await call(method, path)
    expect([status, error.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(error.details).toContainEqual(expect.objectContaining({ path: field, message: expect.stringContaining(message) }))
  })

  it.each(['/v1/video?_=1', '/v1/video/{video}?_=1', '/v1/billing/balance?_=1', '/v1/billing/usage?_=1'])(
    'GET %s ignores a parameter that the specification does not have',
    async (path) => expect((await call('GET', path)).status).toBe(200),
  )

  it('cannot have one name of metadata twice, in two Unicode forms', async () => {
    const { status, error } = await call('PATCH', '/v1/video/{video}', '{"metadata":{"caf\u00e9":"1","cafe\u0301":"2"}}')
    expect([status, error.details]).toMatchObject([400, [{ in: 'body', message: expect.stringContaining('appears twice in one object') }]])
  })

  it('names captions without a label as their language, whatever the private part of its tag', async () => {
    const headers = { 'x-service-key': key, 'content-type': 'text/vtt' }
    const put = async (language: string) => {
      const url = `${baseUrl}/v1/video/${video}/captions/${language}`
      const sent = await fetch(url, { method: 'PUT', headers, body: 'WEBVTT\n\n00:00.000 --> 00:01.000\nHi\n' })
      return [sent.status, (await sent.json()).data]
    }
    expect(await put('DE-at-x-2')).toMatchObject([200, { language: 'de-AT-x-2', label: 'Österreichisches Deutsch' }])
    expect(await put('und')).toMatchObject([200, { language: 'und', label: 'Subtitles' }])
  })

  it('finds one viewer by each Unicode form of an ID', async () => {
    await makeViewer(owner, 'Zo\u00eb')
    for (const id of ['Zo\u00eb', 'Zoe\u0308']) expect((await call('GET', `/v1/viewer/${encodeURIComponent(id)}`)).data.id).toBe('Zo\u00eb')
  })
})
