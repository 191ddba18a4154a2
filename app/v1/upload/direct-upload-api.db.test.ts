import { beforeEach, describe, expect, it } from 'vitest'
import { storageOf } from '../../../server/modules/identity/accounts/storage.ts'
import { expireDirectUploads } from '../../../server/modules/uploads/direct/expire-direct.ts'
import { db } from '../../../server/platform/database/database.ts'
import { type ClientResponse, send } from '../../../server/testing/client.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { refusalOf, uploadCaller } from '../../../server/testing/direct-upload.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeKey } from '../../../server/testing/make.ts'
import { provide } from '../../../server/testing/settings.ts'
import { likeVideo } from '../../../server/testing/tus-client.ts'

await testDatabase()
provide({ MAX_UPLOAD_BYTES: '5000000', MAX_UNFINISHED_UPLOADS: '3', ACCOUNT_STORAGE_BYTES: '24000000' })
const baseUrl = await startHttpServer()

let caller: Awaited<ReturnType<typeof uploadCaller>>
beforeEach(async () => {
  caller = await uploadCaller(baseUrl)
})
const stored = () => db().directUpload.findMany({ where: { accountId: caller.ctx.accountId } })

describe('POST /v1/upload', () => {
  it('takes an empty body, and none', async () => {
    expect((await caller.post({})).status).toBe(201)
    expect((await send(`${baseUrl}/v1/upload`, { method: 'POST', headers: { 'x-service-key': caller.key } })).status).toBe(201)
  })

  it('stores what is for the video', async () => {
    const fields = { title: 'Clip', description: 'At dawn', metadata: { course: '12' }, externalId: 'lesson-42' }
    await caller.create(fields)
    expect(await stored()).toMatchObject([{ fields: { ...fields, targetQuality: '1080p', encrypted: true }, keyId: caller.keyId }])
  })

  it.each<[string, unknown, string]>([
    ['a title of the wrong type', { title: 7 }, 'title'],
    ['a blank title', { title: ' ' }, 'title'],
    ['a title that no database holds', { title: 'a\0b' }, 'title'],
    ['an unpaired surrogate', { title: 'a\ud800' }, 'title'],
    ['a line end in the title', { title: 'a\nb' }, 'title'],
    ['an override of the direction', { title: 'a\u202e4pm.exe' }, 'title'],
    ['an escape sequence in the description', { description: '\x1b[2J' }, 'description'],
    ['a control character in the externalId', { externalId: 'a\x7f' }, 'externalId'],
    ['too long a title', { title: 'x'.repeat(201) }, 'title'],
    ['too long a description', { description: 'x'.repeat(5_001) }, 'description'],
    ['a NUL in the description', { description: '\0' }, 'description'],
    ['metadata that is a list', { metadata: ['a'] }, 'metadata'],
    ['metadata with a number', { metadata: { a: 1 } }, 'metadata.a'],
    ['metadata with a NUL', { metadata: { a: '\0' } }, 'metadata.a'],
    ['metadata with too long a value', { metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
    ['metadata with too long a name', { metadata: { ['x'.repeat(41)]: 'a' } }, `metadata.${'x'.repeat(41)}`],
    ['metadata with too many names', { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`n${at}`, 'a'])) }, 'metadata'],
    ['too long an externalId', { externalId: 'x'.repeat(256) }, 'externalId'],
    ['an unknown quality', { targetQuality: '999p' }, 'targetQuality'],
    ['encrypted as text', { encrypted: 'true' }, 'encrypted'],
    ['no bytes', { maxBytes: 0 }, 'maxBytes'],
    ['a fraction of a byte', { maxBytes: 1.5 }, 'maxBytes'],
    ['bytes as text', { maxBytes: '9' }, 'maxBytes'],
    ['a number beyond all', { maxBytes: 1e300 }, 'maxBytes'],
    ['more bytes than the service accepts', { maxBytes: 5_000_001 }, 'maxBytes'],
    ['an origin with a path', { allowedOrigin: 'https://www.example.com/upload' }, 'allowedOrigin'],
    ['an origin with a query', { allowedOrigin: 'https://www.example.com?' }, 'allowedOrigin'],
    ['an origin with credentials', { allowedOrigin: 'https://a:b@www.example.com' }, 'allowedOrigin'],
    ['any origin', { allowedOrigin: '*' }, 'allowedOrigin'],
    ['every host of a domain', { allowedOrigin: 'https://*.example.com' }, 'allowedOrigin'],
    ['an origin without slashes', { allowedOrigin: 'https:www.example.com' }, 'allowedOrigin'],
    ['an origin with a tab', { allowedOrigin: 'https://www.exam\tple.com' }, 'allowedOrigin'],
    ['an origin with a backslash', { allowedOrigin: 'https://www.example.com\\' }, 'allowedOrigin'],
    ['an origin after a blank', { allowedOrigin: ' https://www.example.com' }, 'allowedOrigin'],
    ['a language that is a word', { captions: 'english' }, 'captions'],
    ['an invisible title', { title: '\u200b' }, 'title'],
    ['an opaque origin', { allowedOrigin: 'null' }, 'allowedOrigin'],
    ['a script', { allowedOrigin: 'javascript:alert(1)' }, 'allowedOrigin'],
    ['too short a life', { expiresInSec: 59 }, 'expiresInSec'],
    ['too long a life', { expiresInSec: 604_801 }, 'expiresInSec'],
    ['an unknown field', { titel: 'x' }, ''],
    ['a list', [], ''],
    ['null', null, ''],
    ['a text', 'title', ''],
  ])('400 for %s', async (_name, input, path) => {
    const answer = await caller.post(input)
    expect(refusalOf(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(JSON.parse(answer.body).error.details).toContainEqual({ in: 'body', path, message: expect.any(String) })
    expect(await stored()).toEqual([])
  })

  it.each<[string, string]>([
    ['what is not JSON', '{"title":'],
    ['a name twice', '{"title":"a","title":"b"}'],
    ['a name twice, escaped', '{"title":"a","\\u0074itle":"b"}'],
    ['a name of metadata twice', '{"metadata":{"a":"1","a":"2"}}'],
    ['a prototype', '{"__proto__":{"title":"x"}}'],
    ['a prototype in metadata', '{"metadata":{"__proto__":"x"}}'],
  ])('400 for %s', async (_name, body) => {
    expect(refusalOf(await caller.call('POST', '/v1/upload', { body }))).toEqual([400, 'INVALID_REQUEST'])
    expect(await stored()).toEqual([])
  })

  it('400 for bytes that are not UTF-8', async () => {
    const body = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    const headers = { 'x-service-key': caller.key, 'content-type': 'application/json' }
    const answer = await fetch(`${baseUrl}/v1/upload`, { method: 'POST', headers, body })
    expect(refusalOf({ status: answer.status, body: await answer.text() })).toEqual([400, 'INVALID_REQUEST'])
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])('415 for a body of type %j', async (type) => {
    const answer = await caller.call('POST', '/v1/upload', { body: '{}', headers: { 'content-type': type } })
    expect(refusalOf(answer)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  it.each(['with its length', 'chunked'])('413 for a large body, %s', async (way) => {
    const text = JSON.stringify({ title: 'x'.repeat(70_000) })
    const headers = { 'x-service-key': caller.key, 'content-type': 'application/json' }
    const body = way === 'chunked' ? new Blob([text]).stream() : text
    const answer = await fetch(`${baseUrl}/v1/upload`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    expect(refusalOf({ status: answer.status, body: await answer.text() })).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it('429 with Retry-After at the limit of unfinished uploads; a cancelled one gives its place free', async () => {
    const made = [await caller.create({ maxBytes: 9 }), await caller.create({ maxBytes: 9 }), await caller.create({ maxBytes: 9 })]
    const refused = await caller.post({ maxBytes: 9 })
    expect([refusalOf(refused), refused.headers['retry-after']]).toEqual([[429, 'TOO_MANY_ATTEMPTS'], '60'])
    expect(JSON.parse(refused.body).error).toMatchObject({ details: { limit: 'uploads' }, retryAfter: 60 })
    await caller.cancel(made[0]?.uploadId ?? '')
    expect((await caller.post({ maxBytes: 9 })).status).toBe(201)
  })

  it('gives no more places than the account has, however many are requested at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => caller.post()))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429])
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 3, unfinishedBytes: 0 })
  })

  it('507 when the installation is full', async () => {
    await caller.create()
    provide({ STORAGE_RESERVE_BYTES: String(10 ** 15) })
    expect(refusalOf(await caller.post({ maxBytes: 9 }))).toEqual([507, 'STORAGE_FULL'])
    provide({ STORAGE_RESERVE_BYTES: undefined })
  })
})

describe('bytes of uploads count against the account once they are announced', () => {
  type Announce = (url: string, bytes: number) => Promise<ClientResponse>
  const version = { 'Tus-Resumable': '1.0.0' }
  const first = { ...version, 'Upload-Offset': 0, 'Content-Type': 'application/offset+octet-stream' }
  const byPost: Announce = (url, bytes) => send(url, { method: 'POST', headers: { ...version, 'Upload-Length': bytes } })

  it.each<[string, Announce]>([
    ['POST', byPost],
    ['PATCH with the size', (url, bytes) => send(url, { method: 'PATCH', headers: { ...first, 'Upload-Length': bytes }, body: 'x' })],
    ['PATCH without a size', (url) => send(url, { method: 'PATCH', headers: first, body: 'x' })],
    ['PUT', (url, bytes) => send(url, { method: 'PUT', body: 'x'.repeat(bytes) })],
  ])('by %s, only within the limits', async (_name, announce) => {
    const uploads = [await caller.create(), await caller.create(), await caller.create({ maxBytes: 4_000_000 })]
    const [one, two, three] = uploads.map(({ uploadUrl }) => uploadUrl) as [string, string, string]
    expect((await byPost(one, 100)).status).toBe(201)
    expect((await byPost(one, 5_000_000)).status).toBe(201)
    expect((await byPost(two, 4_000_000)).status).toBe(201)
    const refused = await announce(three, 4_000_000)
    expect([refusalOf(refused), refused.headers['retry-after']]).toEqual([[429, 'TOO_MANY_ATTEMPTS'], '60'])
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 3, unfinishedBytes: 9_000_000 })
    expect((await byPost(two, 3_000_000)).status).toBe(201)
    // Admitted now; what it sent is no video.
    expect((await announce(three, 4_000_000)).status).not.toBe(429)
  })
})

describe('Idempotency-Key', () => {
  const key = { 'idempotency-key': 'one' }

  it('returns the same upload for the same body, also to concurrent calls at the limit', async () => {
    const input = { title: 'Clip', metadata: { a: '1', b: '2' } }
    const answers = await Promise.all(Array.from({ length: 5 }, () => caller.post({ ...input, maxBytes: 5_000_000 }, key)))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(4)
    expect(await stored()).toHaveLength(1)
    const reordered = await caller.post({ maxBytes: 5_000_000, metadata: { b: '2', a: '1' }, title: 'Clip' }, key)
    expect(reordered.body).toBe(answers[0]?.body)
  })

  it('409 for another body', async () => {
    await caller.create({ title: 'One' }, key)
    expect(refusalOf(await caller.post({ title: 'Two' }, key))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await stored()).toHaveLength(1)
  })

  it('is forgotten after 24 hours, and belongs to its API key', async () => {
    const input = { maxBytes: 9 }
    const first = await caller.create(input, key)
    const { value } = await makeKey(caller.ctx, { scopes: ['video:write'] })
    const other = JSON.parse((await caller.post(input, { ...key, 'x-service-key': value })).body)
    expect(other.data.uploadId).not.toBe(first.uploadId)
    await db().directUpload.updateMany({ data: { createdAt: new Date(Date.now() - 86_500_000) } })
    expect((await caller.create(input, key)).uploadId).not.toBe(first.uploadId)
  })

  it.each(['failed', 'expired', 'expired a moment ago', 'completed, and its video deleted'])(
    'returns one new upload to all that repeat the request once the first has %s, and refuses another body',
    async (end) => {
      const input = { externalId: 'lesson-42' }
      const first = await caller.create(input, key)
      if (end === 'failed') {
        const body = '%PDF-1.7 of a lesson that is no video'
        expect(refusalOf(await send(first.uploadUrl, { method: 'PUT', body }))).toEqual([400, 'INVALID_REQUEST'])
      }
      if (end.startsWith('expired')) await db().directUpload.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } })
      if (end === 'expired') await expireDirectUploads(new AbortController().signal)
      if (end.startsWith('completed')) {
        expect((await fetch(first.uploadUrl, { method: 'PUT', body: likeVideo(1_000) })).status).toBe(200)
        expect((await caller.create(input, key)).uploadId).toBe(first.uploadId)
        await db().video.updateMany({ where: { accountId: caller.ctx.accountId }, data: { deletedAt: new Date() } })
      }
      expect(refusalOf(await caller.post({ ...input, title: 'Another' }, key))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
      const again = await Promise.all(Array.from({ length: 5 }, () => caller.create(input, key)))
      const [second] = again.map(({ uploadId }) => uploadId)
      expect(second).not.toBe(first.uploadId)
      expect(new Set(again.map(({ uploadId }) => uploadId)).size).toBe(1)
      expect(await caller.get(second as string)).toMatchObject({ status: 'waiting', externalId: 'lesson-42' })
    },
  )

  it('400 for one that is empty or too long', async () => {
    for (const value of ['', 'x'.repeat(256)])
      expect(refusalOf(await caller.post({}, { 'idempotency-key': value }))).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe.each([
  ['GET', '/v1/upload'],
  ['POST', '/v1/upload'],
  ['GET', '/v1/upload/upl_x'],
  ['DELETE', '/v1/upload/upl_x'],
])('%s %s', (method, path) => {
  it('401 without a key, and with an unknown one', async () => {
    expect(refusalOf(await send(baseUrl + path, { method }))).toEqual([401, 'API_KEY_REQUIRED'])
    expect(refusalOf(await send(baseUrl + path, { method, headers: { 'x-service-key': 'x' } }))).toEqual([401, 'INVALID_API_KEY'])
  })

  it('403 for a key without video:write', async () => {
    const { value } = await makeKey(caller.ctx, { scopes: ['video:read', 'billing:read', 'webhook:read'] })
    const answer = await send(baseUrl + path, { method, headers: { 'x-service-key': value } })
    expect(refusalOf(answer)).toEqual([403, 'INSUFFICIENT_SCOPE'])
    expect(JSON.parse(answer.body).error.details).toEqual({ needs: 'video:write' })
  })

  it('405 for another method', async () => {
    const answer = await caller.call('PATCH', path)
    expect(refusalOf(answer)).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(answer.headers.allow).toContain(method)
  })
})

it.each(['upl_x', 'upl_0000000000000000000000', 'vid_x', 'upl_%00', '%F0%9F', '__proto__'])('404 for the upload %s', async (id) => {
  for (const method of ['GET', 'DELETE'])
    expect(refusalOf(await caller.call(method, `/v1/upload/${id}`))).toEqual([404, 'UPLOAD_NOT_FOUND'])
})
