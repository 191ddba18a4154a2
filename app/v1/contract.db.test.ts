import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../server/context.ts'
import { ERRORS } from '../../server/errors.ts'
import { revokeKey } from '../../server/modules/access/keys/end-key.ts'
import { SERVICE } from '../../server/modules/audit/content-access.ts'
import { signToken } from '../../server/modules/delivery/tokens/token.ts'
import { FIXTURES, type Fixture } from '../../server/modules/videos/fixtures.ts'
import { db } from '../../server/platform/database/database.ts'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../server/testing/make.ts'

await testDatabase()
const baseUrl = await startHttpServer()

let owner: AccountCtx
let key: string
let videoId: string
beforeAll(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner)).value
  videoId = await makeVideo(owner, { description: 'Twenty seconds' })
})

const call = (path: string, init: RequestInit & { key?: string | null } = {}) => {
  const { key: own, ...rest } = init
  const credential = own === null ? undefined : { 'x-service-key': own ?? key }
  return fetch(baseUrl + path, { ...rest, headers: { ...credential, ...rest.headers } })
}

/** Asserts a complete error response: status, type, envelope, request id. */
async function expectError(response: Response, status: number, code: string, more: Record<string, unknown> = {}) {
  const body = await response.json()
  expect({ status: response.status, body }).toMatchObject({ status, body: { success: false, error: { code, status, ...more } } })
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('x-request-id')).toBe(body.error.requestId)
  expect(body.error.message.length).toBeGreaterThan(20)
  const challenge = code.startsWith('PLAYBACK_TOKEN') ? 'PlaybackToken realm="reelgate"' : 'ApiKey realm="reelgate", header="x-service-key"'
  expect(response.headers.get('www-authenticate')).toBe(status === 401 ? challenge : null)
  return body.error
}

const counters = (response: Response) =>
  ['limit', 'remaining', 'reset']
    .map((name) => response.headers.get(`x-ratelimit-${name}`))
    .map((value) => (value === null ? null : Number(value)))

const midnight = () => Math.ceil((Date.now() + 1) / 86_400_000) * 86_400

const VIDEO_FIELDS = ['completedAt', 'createdAt', 'description', 'durationSec', 'id', 'qualities', 'status', 'targetQuality', 'title']

const KEYED = [
  ['GET', () => '/v1/video'],
  ['GET', () => `/v1/video/${videoId}`],
  ['POST', () => `/v1/video/${videoId}/playback-token`],
] as const

describe.each(KEYED)('%s with a key', (method, path) => {
  test('401 API_KEY_REQUIRED without the header', async () => {
    await expectError(await call(path(), { method, key: null }), 401, 'API_KEY_REQUIRED')
    await expectError(await call(path(), { method, key: '' }), 401, 'API_KEY_REQUIRED')
  })

  test.each(['x', 'ak_live_', `ak_live_${'A'.repeat(32)}`, `ak_prod_${'A'.repeat(32)}`, `${'k'.repeat(5000)}`])(
    '401 INVALID_API_KEY for %.20s',
    async (value) => {
      await expectError(await call(path(), { method, key: value }), 401, 'INVALID_API_KEY')
    },
  )

  test('401 INVALID_API_KEY for a well-formed key that was never created', async () => {
    const { newKeyValue } = await import('../../server/modules/access/keys/format.ts')
    await expectError(await call(path(), { method, key: newKeyValue('LIVE') }), 401, 'INVALID_API_KEY')
  })

  test('401 INVALID_API_KEY once revoked', async () => {
    const made = await makeKey(owner)
    expect((await call(path(), { method, key: made.value })).status).toBe(200)
    await revokeKey(owner, { keyId: made.id })
    await expect.poll(async () => (await call(path(), { method, key: made.value })).status, { interval: 5 }).toBe(401)
    await expectError(await call(path(), { method, key: made.value }), 401, 'INVALID_API_KEY')
  })

  test('403 INSUFFICIENT_SCOPE without video:read', async () => {
    const billing = await makeKey(owner, { scopes: ['billing:read'] })
    const answer = await call(path(), { method, key: billing.value })
    const { message } = await expectError(answer, 403, 'INSUFFICIENT_SCOPE', { details: { needs: 'video:read' } })
    expect(message).toMatch(/^This API key lacks video:read\. Add the scope/)
  })
})

describe('GET /v1/video', () => {
  test('200 with every video of the account, newest first, and no other account’s', async () => {
    const ctx = await makeAccount()
    const other = await makeAccount()
    const { value } = await makeKey(ctx)
    await makeVideo(other)
    const ids = []
    for (const minute of [1, 3, 2]) ids.push(await makeVideo(ctx, { createdAt: new Date(Date.UTC(2026, 0, 1, 0, minute)) }))
    const response = await call('/v1/video', { key: value })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    const body = await response.json()
    expect(Object.keys(body)).toEqual(['success', 'data'])
    expect(body.data.map((video: { id: string }) => video.id)).toEqual([ids[1], ids[2], ids[0]])
    expect(Object.keys(body.data[0]).sort()).toEqual(VIDEO_FIELDS)
  })

  test('200 and an empty array for an account without videos', async () => {
    const { value } = await makeKey(await makeAccount())
    expect(await (await call('/v1/video', { key: value })).json()).toEqual({ success: true, data: [] })
  })

  test('304 for its validator; 200 again after a change', async () => {
    const ctx = await makeAccount()
    const { value } = await makeKey(ctx)
    const id = await makeVideo(ctx)
    const etag = (await call('/v1/video', { key: value })).headers.get('etag') as string
    const same = await call('/v1/video', { key: value, headers: { 'If-None-Match': `"other", ${etag}` } })
    expect([same.status, await same.text()]).toEqual([304, ''])
    await db().video.update({ where: { id }, data: { title: 'Renamed' } })
    await expect
      .poll(async () => (await call('/v1/video', { key: value, headers: { 'If-None-Match': etag } })).status, { interval: 5 })
      .toBe(200)
  })

  test('pages by ?limit and ?cursor hold everything once, in the same order', async () => {
    const ctx = await makeAccount()
    const { value } = await makeKey(ctx)
    const at = new Date()
    for (let index = 0; index < 7; index++) await makeVideo(ctx, { createdAt: index < 4 ? at : new Date(at.getTime() - index) })
    const all = (await (await call('/v1/video', { key: value })).json()).data
    const seen = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { data: { id: string }[]; pagination: { nextCursor: string | null; hasMore: boolean } } = await (
        await call(`/v1/video?limit=3${cursor && `&cursor=${cursor}`}`, { key: value })
      ).json()
      expect(page.pagination.hasMore).toBe(page.pagination.nextCursor !== null)
      seen.push(...page.data)
      cursor = page.pagination.nextCursor
    }
    expect(seen).toEqual(all)
  })

  test.each(['limit=0', 'limit=501', 'limit=x', 'limit=1&cursor=nonsense'])('400 INVALID_REQUEST for ?%s', async (search) => {
    const error = await expectError(await call(`/v1/video?${search}`), 400, 'INVALID_REQUEST')
    expect(error.details[0]).toMatchObject({ in: 'query' })
    if (search === 'limit=x') expect(error.details).toEqual([{ in: 'query', path: 'limit', message: 'Must be a number.' }])
  })
})

describe('GET /v1/video/{videoId}', () => {
  test('200 with exactly the specified fields', async () => {
    const response = await call(`/v1/video/${videoId}`)
    expect(response.status).toBe(200)
    const { success, data } = await response.json()
    expect(success).toBe(true)
    expect(data).toEqual({
      id: videoId,
      title: 'Clip',
      description: 'Twenty seconds',
      status: 'COMPLETED',
      durationSec: 20,
      targetQuality: '720p',
      qualities: ['720p', '480p', '360p', '240p'],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      completedAt: expect.stringMatching(/Z$/),
    })
    expect(JSON.stringify(data)).not.toContain('http')
  })

  test.each(['PENDING', 'PROCESSING', 'FAILED'] as const)('200 for a %s video', async (status) => {
    const id = await makeVideo(owner, { status, qualities: [], durationSec: 0, completedAt: null })
    expect((await (await call(`/v1/video/${id}`)).json()).data).toMatchObject({ status, qualities: [], completedAt: null })
  })

  test('304 for its validator', async () => {
    const etag = (await call(`/v1/video/${videoId}`)).headers.get('etag') as string
    expect((await call(`/v1/video/${videoId}`, { headers: { 'If-None-Match': etag } })).status).toBe(304)
  })

  test('404 VIDEO_NOT_FOUND: responses for an absent and another account’s video differ only in the request id', async () => {
    const foreign = await makeVideo(await makeAccount())
    const answers = []
    for (const id of ['vid_doesnotexist0000000000', foreign]) {
      const response = await call(`/v1/video/${id}`)
      const { requestId, ...error } = await expectError(response, 404, 'VIDEO_NOT_FOUND')
      const headers = [...response.headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
      answers.push({ error, headers, requestId: requestId.length })
    }
    expect(answers[0]).toEqual(answers[1])
  })

  test.each(['nonsense', 'vid_', '%00', '%ff', '..%2f..', 'vid_%27%3B--', encodeURIComponent('vid_ключ'), 'v'.repeat(3000)])(
    '404 VIDEO_NOT_FOUND for %.20s',
    async (id) => {
      await expectError(await call(`/v1/video/${id}`), 404, 'VIDEO_NOT_FOUND')
    },
  )

  test('404 VIDEO_NOT_FOUND once deleted', async () => {
    const id = await makeVideo(owner)
    expect((await call(`/v1/video/${id}`)).status).toBe(200)
    await db().video.update({ where: { id }, data: { deletedAt: new Date() } })
    await expect.poll(async () => (await call(`/v1/video/${id}`)).status, { interval: 5 }).toBe(404)
  })
})

describe('POST /v1/video/{videoId}/playback-token', () => {
  const issue = (id: string, init: Parameters<typeof call>[1] = {}) => call(`/v1/video/${id}/playback-token`, { method: 'POST', ...init })

  test('200 with token, expiresIn, playerUrl and the counters', async () => {
    const { value } = await makeKey(owner)
    const response = await issue(videoId, { key: value })
    expect(response.status).toBe(200)
    const { data } = await response.json()
    expect(data).toEqual({
      token: expect.stringMatching(/^pt_[\w-]+\.[\w-]+\.[\w-]+$/),
      expiresIn: 300,
      playerUrl: `${baseUrl}/embed/${videoId}?token=${data.token}`,
    })
    expect(counters(response)).toEqual([1000, 999, midnight()])
    expect(response.headers.get('cache-control')).toBe('no-store')
    const claims = JSON.parse(Buffer.from(data.token.slice(3).split('.')[1], 'base64url').toString())
    expect(claims).toMatchObject({ videoId, exp: claims.iat + 300 })
    expect(JSON.parse(Buffer.from(data.token.slice(3).split('.')[0], 'base64url').toString())).toMatchObject({
      alg: 'HS256',
      kid: 'default',
    })
  })

  test('404 VIDEO_NOT_FOUND and 409 VIDEO_NOT_READY carry the counters and use no quota', async () => {
    const { value } = await makeKey(owner)
    const pending = await makeVideo(owner, { status: 'PENDING' })
    const notFound = await issue('vid_doesnotexist0000000000', { key: value })
    expect(counters(notFound)).toEqual([1000, 1000, midnight()])
    await expectError(notFound, 404, 'VIDEO_NOT_FOUND')
    const notReady = await issue(pending, { key: value })
    expect(counters(notReady)).toEqual([1000, 1000, midnight()])
    await expectError(notReady, 409, 'VIDEO_NOT_READY', { details: { status: 'PENDING' } })
    expect(counters(await issue(videoId, { key: value }))[1]).toBe(999)
  })

  test('429 RATE_LIMIT_EXCEEDED with Retry-After, the counters at 0 and retryAfter in the body', async () => {
    const made = await makeKey(owner)
    await db().apiKey.update({ where: { id: made.id }, data: { dailyQuota: 2 } })
    expect(counters(await issue(videoId, { key: made.value }))).toEqual([2, 1, midnight()])
    expect(counters(await issue(videoId, { key: made.value }))).toEqual([2, 0, midnight()])
    const untilMidnight = () => midnight() - Date.now() / 1_000
    const most = untilMidnight()
    const refused = await issue(videoId, { key: made.value })
    const least = untilMidnight()
    const retryAfter = Number(refused.headers.get('retry-after'))
    expect(counters(refused)).toEqual([2, 0, midnight()])
    expect(retryAfter).toBeGreaterThanOrEqual(1)
    // Whole seconds, between what was left before the request and after it.
    expect(retryAfter).toBeGreaterThanOrEqual(Math.floor(least))
    expect(retryAfter).toBeLessThanOrEqual(Math.ceil(most))
    await expectError(refused, 429, 'RATE_LIMIT_EXCEEDED', { retryAfter })
  })

  test('1,100 attempts at once: exactly 1,000 succeed, and the counter agrees', async () => {
    const made = await makeKey(owner)
    const statuses = await Promise.all(Array.from({ length: 1100 }, async () => (await issue(videoId, { key: made.value })).status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1000)
    expect(statuses.filter((status) => status === 429)).toHaveLength(100)
    expect(await db().keyDay.findMany({ where: { keyId: made.id }, select: { issued: true } })).toEqual([{ issued: 1000 }])
  })

  test('Idempotency-Key: concurrent or later, the same token and one unit; refused for another video', async () => {
    const { value } = await makeKey(owner)
    const second = await makeVideo(owner)
    const headers = { 'Idempotency-Key': 'order-17' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => issue(videoId, { key: value, headers })))
    const tokens = new Set((await Promise.all(answers.map((answer) => answer.json()))).map((body) => body.data.token))
    expect(tokens.size).toBe(1)
    const other = await issue(second, { key: value, headers })
    expect(counters(other)[1]).toBe(999)
    await expectError(other, 409, 'IDEMPOTENCY_KEY_REUSED')
    await expectError(await issue(videoId, { key: value, headers: { 'Idempotency-Key': 'x'.repeat(256) } }), 400, 'INVALID_REQUEST')
  })

  test.each<[string, RequestInit]>([
    ['no body', {}],
    ['an empty body with a type', { body: '', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
    ['an empty object', { body: '{}', headers: { 'Content-Type': 'application/json' } }],
    ['an empty object with blanks', { body: ' {\n} ', headers: { 'Content-Type': 'application/json; charset=utf-8' } }],
    ['an empty object as text', { body: '{}' }],
    ['an empty object without a type', { body: new Blob(['{}']) }],
  ])('200 for %s', async (_what, init) => {
    expect((await issue(videoId, init)).status).toBe(200)
  })

  test('400 INVALID_REQUEST for a field, by its name; no quota is used', async () => {
    const { value } = await makeKey(owner)
    const headers = { 'Content-Type': 'application/json' }
    const refused = await issue(videoId, { key: value, body: '{"viewerId":"7"}', headers })
    const { details } = await expectError(refused, 400, 'INVALID_REQUEST')
    expect(details).toEqual([{ in: 'body', path: '', message: expect.stringContaining('viewerId') }])
    await expectError(await issue(videoId, { key: value, body: '[]', headers }), 400, 'INVALID_REQUEST')
    await expectError(await issue(videoId, { key: value, body: '{', headers }), 400, 'INVALID_REQUEST')
    await expectError(await issue(videoId, { key: value, body: 'viewer=7' }), 415, 'UNSUPPORTED_MEDIA_TYPE')
    expect(counters(await issue(videoId, { key: value }))[1]).toBe(999)
  })

  test('413 PAYLOAD_TOO_LARGE for an unexpected body', async () => {
    await expectError(await issue(videoId, { body: 'x'.repeat(70_000) }), 413, 'PAYLOAD_TOO_LARGE')
  })
})

describe('GET /v1/video/playback/manifest/{token}', () => {
  const tokenFor = (id: string, age = 0) => signToken(SERVICE, { videoId: id, jti: 'tok_test', iat: Math.floor(Date.now() / 1000) - age })
  const exchange = (token: string, search = '') => call(`/v1/video/playback/manifest/${token}${search}`, { key: null })

  test('200 with the manifest, for any origin, without a key', async () => {
    const response = await exchange(await tokenFor(videoId))
    expect(response.status).toBe(200)
    const { data } = await response.json()
    expect(data).toMatchObject({ qualities: ['720p', '480p', '360p', '240p'], encrypted: true })
    expect(data.masterPlaylistUrl).toMatch(new RegExp(`^${baseUrl}/cdn/.*\\.m3u8$`))
    expect(Date.parse(data.expiresAt) - Date.now()).toBeLessThanOrEqual(300_000)
    expect(Date.parse(data.sessionExpiresAt)).toBeGreaterThan(Date.parse(data.expiresAt))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('a key header, valid or not, is ignored', async () => {
    const token = await tokenFor(videoId)
    for (const own of [key, 'nonsense']) expect((await call(`/v1/video/playback/manifest/${token}`, { key: own })).status).toBe(200)
  })

  test('401 PLAYBACK_TOKEN_EXPIRED after 5 minutes', async () => {
    expect((await exchange(await tokenFor(videoId, 290))).status).toBe(200)
    await expectError(await exchange(await tokenFor(videoId, 301)), 401, 'PLAYBACK_TOKEN_EXPIRED')
  })

  test('401 PLAYBACK_TOKEN_INVALID for another video’s', async () => {
    const token = await tokenFor(videoId)
    expect((await exchange(token, `?videoId=${videoId}`)).status).toBe(200)
    await expectError(await exchange(token, '?videoId=vid_another'), 401, 'PLAYBACK_TOKEN_INVALID')
  })

  test('401 PLAYBACK_TOKEN_INVALID for a changed, cut, unprefixed or meaningless one', async () => {
    const token = await tokenFor(videoId)
    const [header, payload, signature = ''] = token.split('.')
    const swapped = `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    for (const bad of [swapped, token.slice(0, -1), token.slice(3), `pt_${token}`, 'pt_', 'pt_a.b.c', 'x', '%00', 'x'.repeat(4000)]) {
      await expectError(await exchange(bad), 401, 'PLAYBACK_TOKEN_INVALID')
    }
  })

  test('404 VIDEO_NOT_FOUND once the video is deleted', async () => {
    const id = await makeVideo(owner)
    const token = await tokenFor(id)
    expect((await exchange(token)).status).toBe(200)
    await db().video.update({ where: { id }, data: { deletedAt: new Date() } })
    await expect.poll(async () => (await exchange(token)).status, { interval: 5 }).toBe(404)
    await expectError(await exchange(token), 404, 'VIDEO_NOT_FOUND')
  })
})

describe('fixture ids of test keys', () => {
  const fixtures = Object.entries<Fixture>(FIXTURES)
  let testKey: string
  beforeAll(async () => {
    testKey = (await makeKey(owner, { environment: 'TEST' })).value
  })

  test.each(fixtures)('%s is read as the table specifies', async (id, { status = 'COMPLETED', videoError }) => {
    const response = await call(`/v1/video/${id}`, { key: testKey })
    if (videoError) return void (await expectError(response, ERRORS[videoError].status, videoError))
    expect([response.status, (await response.json()).data]).toMatchObject([200, { id, status }])
  })

  test.each(fixtures)(
    '%s responds to a token request as the table specifies',
    async (id, { status = 'COMPLETED', videoError, tokenError, tokenDefect }) => {
      const response = await call(`/v1/video/${id}/playback-token`, { key: testKey, method: 'POST' })
      const refusal = videoError ?? tokenError ?? (status === 'COMPLETED' ? undefined : 'VIDEO_NOT_READY')
      if (refusal === 'RATE_LIMIT_EXCEEDED') expect(counters(response).slice(0, 2)).toEqual([1000, 0])
      if (refusal) return void (await expectError(response, ERRORS[refusal].status, refusal))
      const { data } = await response.json()
      const exchange = await call(`/v1/video/playback/manifest/${data.token}`, { key: null })
      if (!tokenDefect) return expect(exchange.status).toBe(200)
      const code = { expired: 'PLAYBACK_TOKEN_EXPIRED', forged: 'PLAYBACK_TOKEN_INVALID', deleted: 'VIDEO_NOT_FOUND' } as const
      await expectError(exchange, ERRORS[code[tokenDefect]].status, code[tokenDefect])
    },
  )

  test('every error code of the REST API can be reached by one of them, or by its request alone', () => {
    // The last two: ./video/playback-policy.db.test.ts, ./video/viewers-api.db.test.ts
    const byRequest = [
      'NOT_FOUND',
      'METHOD_NOT_ALLOWED',
      'INVALID_REQUEST',
      'REQUEST_TIMEOUT',
      'PAYLOAD_TOO_LARGE',
      'PLAYBACK_NOT_ALLOWED',
      'VIEWER_NOT_FOUND',
    ]
    const byFixture = fixtures.flatMap(([, { videoError, tokenError }]) => [videoError, tokenError])
    // ./manage-videos.db.test.ts, ./video-files.db.test.ts, ./generated-captions.db.test.ts and ./downloads.process.test.ts
    const byWrite = [
      'DOWNLOADS_DISABLED',
      'DOWNLOAD_TOO_LARGE',
      'CAPTIONS_NOT_FOUND',
      'CAPTIONS_CONFLICT',
      'EXTERNAL_ID_IN_USE',
      'PRECONDITION_FAILED',
      'UNSUPPORTED_MEDIA_TYPE',
      'TOO_MANY_ATTEMPTS',
    ]
    // server/modules/uploads/abuse.process.test.ts, direct-uploads.db.test.ts, direct-upload-api.db.test.ts
    const byUpload = [
      'STORAGE_FULL',
      'UPLOAD_NOT_FOUND',
      'UPLOAD_URL_INVALID',
      'ORIGIN_NOT_ALLOWED',
      'UPLOAD_CONFLICT',
      'UPLOAD_EXPIRED',
      'UPLOAD_FAILED',
      'IDEMPOTENCY_KEY_REUSED',
    ]
    // ./collections.db.test.ts
    const byCollection = ['COLLECTION_NOT_FOUND', 'COLLECTION_NAME_IN_USE', 'COLLECTION_LIMIT_REACHED']
    const byToken = ['VIDEO_NOT_READY', 'PLAYBACK_TOKEN_EXPIRED', 'PLAYBACK_TOKEN_INVALID']
    const all = Object.entries<{ status: number; dashboard?: true }>(ERRORS).filter(([, { dashboard }]) => !dashboard)
    for (const [code] of all) expect([...byRequest, ...byFixture, ...byToken, ...byUpload, ...byWrite, ...byCollection]).toContain(code)
  })

  test('are not found with a live key', async () => {
    for (const [id] of fixtures) expect((await call(`/v1/video/${id}`)).status).toBe(404)
  })
})

describe('the rest of the API', () => {
  test.each([
    '/v1',
    '/v1/',
    '/v1/videos',
    '/v1/video/',
    '/v1/video/a/b',
    '/v1/video/playback/manifest/',
    '/v2/video'.replace('v2', 'v1/x'),
  ])('404 NOT_FOUND at %s', async (path) => {
    await expectError(await call(path), 404, 'NOT_FOUND')
  })

  test.each([
    ['DELETE', '/v1/video', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v1/video/vid_x', 'GET, PATCH, DELETE, HEAD, OPTIONS'],
    ['GET', '/v1/video/vid_x/playback-token', 'POST, OPTIONS'],
    ['POST', '/v1/video/playback/manifest/pt_x', 'GET, HEAD, OPTIONS'],
  ])('405 METHOD_NOT_ALLOWED: %s %s', async (method, path, allow) => {
    const response = await call(path, { method })
    expect(response.headers.get('allow')).toBe(allow)
    await expectError(response, 405, 'METHOD_NOT_ALLOWED')
  })

  test('HEAD returns the headers of GET, without the body', async () => {
    const [get, head] = [await call(`/v1/video/${videoId}`), await call(`/v1/video/${videoId}`, { method: 'HEAD' })]
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const name of ['content-type', 'etag', 'cache-control']) expect(head.headers.get(name)).toBe(get.headers.get(name))
    expect(Number(head.headers.get('content-length'))).toBe((await get.text()).length)
  })

  test('OPTIONS: only the manifest responds to preflights', async () => {
    const open = await call('/v1/video/playback/manifest/x', { method: 'OPTIONS', key: null })
    expect([open.status, open.headers.get('access-control-allow-origin'), open.headers.get('allow')]).toEqual([
      204,
      '*',
      'GET, HEAD, OPTIONS',
    ])
    const closed = await call('/v1/video', { method: 'OPTIONS', key: null })
    expect([closed.status, closed.headers.get('access-control-allow-origin')]).toEqual([204, null])
  })

  test('/healthz returns 200; /readyz reports that the database responds and migrations are applied', async () => {
    expect((await call('/healthz', { key: null })).status).toBe(200)
    const ready = await call('/readyz', { key: null })
    const checks = { database: 'answers', migrations: 'applied', storage: 'enough' }
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', checks }])
  })

  test('requests are counted per key, with the time of the last', async () => {
    const made = await makeKey(owner)
    const began = Date.now()
    for (let index = 0; index < 5; index++) await call('/v1/video', { key: made.value })
    const { trafficCollector } = await import('../../server/modules/analytics/requests/collector.ts')
    await trafficCollector().flush()
    const { requestCount, lastUsedAt } = await db().apiKey.findUniqueOrThrow({ where: { id: made.id } })
    expect(Number(requestCount)).toBe(5)
    // The database's clock, and whole milliseconds.
    expect((lastUsedAt as Date).getTime()).toBeGreaterThanOrEqual(began - 1_000)
  })
})
