import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { db } from '../../../server/platform/database/database.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'
import { rawConnection } from '../../../server/testing/raw.ts'
import { provide } from '../../../server/testing/settings.ts'
import { said, VTT, videoCalls } from '../../../server/testing/video-calls.ts'
import { PUT } from './[videoId]/captions/[language]/route.ts'
import { PATCH } from './[videoId]/route.ts'

await testDatabase()
const baseUrl = await startHttpServer()

let owner: AccountCtx
let key: { id: string; value: string }
beforeAll(async () => {
  owner = await makeAccount()
  key = await makeKey(owner, { scopes: ['video:read', 'video:write'] })
})

const call = videoCalls(baseUrl, () => key.value)
const UPLOADED = { generated: false, edited: false }

describe('captions', () => {
  const put = (path: string, body: string, type: string | undefined = 'text/vtt') =>
    call(path, { method: 'PUT', headers: type ? { 'content-type': type } : {}, body })

  test('are stored, replaced, listed and removed', async () => {
    const videoId = await makeVideo(owner)
    expect(said(await put(`${videoId}/captions/EN`, VTT))).toEqual({
      status: 200,
      data: { language: 'en', label: 'English', cues: 1, ...UPLOADED },
    })
    const srt = '1\n00:00:01,000 --> 00:00:02,000\nOne\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n'
    expect(said(await put(`${videoId}/captions/en?label=For%20all`, srt, 'application/x-subrip'))).toEqual({
      status: 200,
      data: { language: 'en', label: 'For all', cues: 2, ...UPLOADED },
    })
    expect((await put(`${videoId}/captions/pt-br`, VTT, '')).status).toBe(200)
    expect(said(await call(`${videoId}/captions`))).toEqual({
      status: 200,
      data: [
        { language: 'en', label: 'For all', cues: 2, ...UPLOADED },
        { language: 'pt-BR', label: 'Português (Brasil)', cues: 1, ...UPLOADED },
      ],
    })
    const remove = () => call(`${videoId}/captions/en`, { method: 'DELETE' })
    expect(said(await remove())).toEqual({ status: 200, data: { language: 'en', deleted: true } })
    expect(said(await remove())).toMatchObject({ status: 404, code: 'CAPTIONS_NOT_FOUND' })
    expect(said(await call(`${videoId}/captions`)).data).toEqual([{ language: 'pt-BR', label: 'Português (Brasil)', cues: 1, ...UPLOADED }])
    expect((await call(videoId, { method: 'DELETE' })).status).toBe(200)
    expect(said(await call(`${videoId}/captions`))).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
  })

  test('of a fixture are an empty list, and listing them requires video:read', async () => {
    const [test, write] = [await makeKey(owner, { environment: 'TEST' }), await makeKey(owner, { scopes: ['video:write'] })]
    const list = (videoId: string, { value }: { value: string }) => videoCalls(baseUrl, () => value)(`${videoId}/captions`)
    expect(said(await list('vid_test_completed', test))).toEqual({ status: 200, data: [] })
    expect(said(await list('vid_test_not_found', test))).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
    expect(said(await list(await makeVideo(owner), write))).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' })
  })

  test.each([
    ['a language that is none', '/captions/not_a_tag', VTT, 'text/vtt', 400, 'INVALID_REQUEST'],
    ['NUL in the language', '/captions/e%00', VTT, 'text/vtt', 400, 'INVALID_REQUEST'],
    ['a label with quotation marks', '/captions/en?label=%22', VTT, 'text/vtt', 400, 'INVALID_REQUEST'],
    ['a file without cues', '/captions/en', 'Hello', 'text/plain', 400, 'INVALID_REQUEST'],
    ['an empty file', '/captions/en', '', 'text/vtt', 400, 'INVALID_REQUEST'],
    ['JSON', '/captions/en', '{}', 'application/json', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['too many characters', '/captions/en', VTT + 'x'.repeat(2_000_001), 'text/vtt', 413, 'PAYLOAD_TOO_LARGE'],
    ['too many bytes', '/captions/en', 'x'.repeat(4 * 1024 ** 2 + 1), 'text/vtt', 413, 'PAYLOAD_TOO_LARGE'],
  ])('refuse %s', async (_what, path, body, type, status, code) => {
    expect(said(await put((await makeVideo(owner)) + path, body, type))).toMatchObject({ status, code })
  })

  test('refuse a chunked body beyond the bound, a compressed one, and text that is not UTF-8', async () => {
    const path = `${await makeVideo(owner)}/captions/en`
    const parts = new Blob(['x'.repeat(5 * 1024 ** 2)]).stream()
    const headers = { 'x-service-key': key.value, 'content-type': 'text/vtt' }
    const chunked = await fetch(`${baseUrl}/v1/video/${path}`, { method: 'PUT', headers, body: parts, duplex: 'half' } as RequestInit)
    expect([chunked.status, (await chunked.json()).error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const zipped = { 'content-type': 'text/vtt', 'content-encoding': 'gzip' }
    expect(said(await call(path, { method: 'PUT', headers: zipped, body: VTT }))).toMatchObject({ status: 415 })
    const latin = await fetch(`${baseUrl}/v1/video/${path}`, {
      method: 'PUT',
      headers,
      body: Buffer.from(VTT.replace('Good', 'Gød'), 'latin1'),
    })
    expect([latin.status, await latin.text()]).toEqual([400, expect.stringContaining('UTF-8')])
    const marked = Buffer.from(`\uFEFF${VTT}`, 'utf16le')
    const utf16 = await fetch(`${baseUrl}/v1/video/${path}`, { method: 'PUT', headers, body: marked })
    expect([utf16.status, (await utf16.json()).data]).toEqual([200, { language: 'en', label: 'English', cues: 1, ...UPLOADED }])
  })

  test('429 beyond the storage of the account', async () => {
    const ctx = await makeAccount()
    const { value } = await makeKey(ctx, { scopes: ['video:write'] })
    const videoId = await makeVideo(ctx, { sourceBytes: 2_000_000n })
    await db().accountLimit.create({
      data: { accountId: ctx.accountId, name: 'storageBytes', value: 1_000_000n, reason: 'Asked for', setBy: 'test' },
    })
    const refused = await call(`${videoId}/captions/en`, { method: 'PUT', key: value, headers: { 'content-type': 'text/vtt' }, body: VTT })
    expect(said(refused)).toMatchObject({ status: 429, code: 'TOO_MANY_ATTEMPTS', details: { limit: 'storageBytes' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('PUT poster', () => {
  const put = async (type: string, body: Uint8Array | string) => {
    const videoId = await makeVideo(owner)
    const response = await fetch(`${baseUrl}/v1/video/${videoId}/poster`, {
      method: 'PUT',
      headers: { 'x-service-key': key.value, 'content-type': type },
      body: Buffer.from(body),
    })
    return { videoId, ...said({ status: response.status, body: await response.text() }) }
  }
  const DOT = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==', 'base64')

  test('stores the picture, encoded again', async () => {
    const { videoId, ...answer } = await put('image/png', DOT)
    expect(answer).toMatchObject({ status: 200, data: { id: videoId } })
    const { poster, posterUploaded } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
    expect([poster, posterUploaded]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), poster])
    const [entry] = await db().auditEntry.findMany({ where: { subject: videoId } })
    expect(entry).toMatchObject({ action: 'video.poster', actor: key.id, before: { poster: null }, after: { poster } })
  })

  test.each([
    ['text', 'image/png', 'no picture', 400, 'INVALID_REQUEST'],
    ['nothing', 'image/png', '', 400, 'INVALID_REQUEST'],
    ['a drawing', 'image/svg+xml', '<svg/>', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['more than 2 MB', 'image/png', 'x'.repeat(2 * 1024 ** 2 + 1), 413, 'PAYLOAD_TOO_LARGE'],
  ])('refuses %s', async (_what, type, body, status, code) => {
    expect(await put(type, body)).toMatchObject({ status, code })
  })
})

describe('a file that cannot be taken', () => {
  const settings = { STORAGE_RESERVE_BYTES: '0', REELGATE_TEST_BODY_SEC: '' }
  afterEach(() => provide(settings))

  test('507 while the service keeps its last space', async () => {
    provide({ STORAGE_RESERVE_BYTES: String(10 ** 15) })
    const path = `${await makeVideo(owner)}/captions/en`
    const refused = await call(path, { method: 'PUT', headers: { 'content-type': 'text/vtt' }, body: VTT })
    expect(said(refused)).toMatchObject({ status: 507, code: 'STORAGE_FULL' })
  })

  test('408 when it does not arrive in time, and the connection ends', async () => {
    provide({ REELGATE_TEST_BODY_SEC: '1' })
    const head = `PUT /v1/video/${await makeVideo(owner)}/poster HTTP/1.1\r\nHost: x\r\nx-service-key: ${key.value}\r\n`
    const connection = await rawConnection(baseUrl, `${head}Content-Length: 100\r\n\r\nslow`)
    const [answer] = await connection.ended
    expect([answer?.status, JSON.parse(answer?.body ?? '').error.code]).toEqual([408, 'REQUEST_TIMEOUT'])
  })

  test('401 unread: the next request of the connection is answered', async () => {
    const head = `PUT /v1/video/vid_x/poster HTTP/1.1\r\nHost: x\r\n`
    const connection = await rawConnection(
      baseUrl,
      `${head}Content-Length: 100000\r\n\r\n${'x'.repeat(100_000)}${head}Content-Length: 0\r\n\r\n`,
    )
    expect((await connection.responses(2)).map(({ status }) => status)).toEqual([401, 401])
    connection.socket.destroy()
  })

  test('429 after ten posters of an account in a row', async () => {
    const ctx = await makeAccount()
    const { value } = await makeKey(ctx, { scopes: ['video:write'] })
    const path = `${await makeVideo(ctx)}/poster`
    const answers = await Promise.all(Array.from({ length: 12 }, () => call(path, { method: 'PUT', key: value, body: 'no picture' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(400), 429, 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
  })
})

test('another host of Next reads files and JSON too, within the same bounds', async () => {
  const videoId = await makeVideo(owner)
  const request = (handler: typeof PUT, body: string, type: string, params: Record<string, string> = {}) => {
    const headers = { 'x-service-key': key.value, 'content-type': type }
    const method = handler === PUT ? 'PUT' : 'PATCH'
    return handler(new Request(`${baseUrl}/v1/video/${videoId}`, { method, headers, body }), {
      params: Promise.resolve({ videoId, ...params }),
    })
  }
  const captions = await request(PUT, VTT, 'text/vtt', { language: 'en' })
  expect([captions.status, (await captions.json()).data.cues]).toEqual([200, 1])
  expect((await request(PUT, 'x'.repeat(4 * 1024 ** 2 + 1), 'text/vtt', { language: 'en' })).status).toBe(413)
  const changed = await request(PATCH, '{"title":"Changed"}', 'application/json')
  expect([changed.status, (await changed.json()).data.title]).toEqual([200, 'Changed'])
})
