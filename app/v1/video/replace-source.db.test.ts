import { afterAll, beforeAll, expect, it } from 'vitest'
import { JOBS } from '../../../server/jobs.ts'
import { db } from '../../../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../../../server/platform/job-queue.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { refusalOf } from '../../../server/testing/direct-upload.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeKey, makeVideo } from '../../../server/testing/make.ts'
import { replacer } from '../../../server/testing/media/replacing.ts'
import { provide } from '../../../server/testing/settings.ts'
import { likeVideo } from '../../../server/testing/tus-client.ts'

await testDatabase()
provide({ IMPORT_ALLOWED_HOSTS: 'files.example', STORAGE_RESERVE_BYTES: '0' })
const baseUrl = await startHttpServer()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

const URL_OF_FILE = 'http://files.example/clip.mp4'

it('202: an upload, with its URL and its address', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx, { encrypted: false })
  const answer = await caller.put(id, { expiresInSec: 600, targetQuality: '480p' })
  const { data } = JSON.parse(answer.body)
  expect(answer.status).toBe(202)
  expect(answer.headers.location).toBe(`/v1/upload/${data.uploadId}`)
  expect(data).toEqual({
    uploadId: expect.stringMatching(/^upl_/),
    videoId: id,
    uploadUrl: expect.stringContaining(`/api/upload/${data.uploadId}/`),
    protocol: 'tus',
    expiresAt: expect.any(String),
  })
  expect(await caller.get(data.uploadId)).toMatchObject({ status: 'waiting', videoId: null })
  expect((await db().directUpload.findUniqueOrThrow({ where: { id: data.uploadId } })).fields).toEqual({
    targetQuality: '480p',
    encrypted: false,
    replaces: id,
  })
})

it('names the video also to a client that lost the response to its last byte', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  const { uploadUrl } = await caller.created(id)
  expect(JSON.parse((await caller.sendTo(uploadUrl, new Uint8Array(likeVideo(9_000)))).body).data.videoId).toBe(id)
  const asked = await fetch(baseUrl + new URL(uploadUrl).pathname, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } })
  expect([asked.status, asked.headers.get('x-video-id')]).toEqual([200, id])
})

it('202: an import, without the URL of an upload', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  const { status, body } = await caller.put(id, { url: URL_OF_FILE })
  const { data } = JSON.parse(body)
  expect([status, data]).toEqual([202, expect.objectContaining({ videoId: id, uploadUrl: null, protocol: null })])
  expect(await db().uploadImport.count({ where: { id: data.uploadId } })).toBe(1)
})

it.each([
  [{ url: 'ftp://files.example/clip.mp4' }, 'url'],
  [{ url: 'https://user:secret@files.example/clip.mp4' }, 'url'],
  [{ url: 'http://127.0.0.1/clip.mp4' }, 'url'],
  [{ url: URL_OF_FILE, allowedOrigin: 'https://example.com' }, 'allowedOrigin'],
  [{ targetQuality: '9p' }, 'targetQuality'],
  [{ maxBytes: 0 }, 'maxBytes'],
  [{ maxBytes: 1e15 }, 'maxBytes'],
  [{ title: 'A title is kept' }, ''],
])('400: %j', async (input, path) => {
  const caller = await replacer(baseUrl)
  const answer = await caller.put(await makeVideo(caller.ctx), input)
  expect(refusalOf(answer)).toEqual([400, 'INVALID_REQUEST'])
  expect(JSON.parse(answer.body).error.details[0].path).toBe(path)
  expect(await db().directUpload.count({ where: { accountId: caller.ctx.accountId } })).toBe(0)
})

it('401, 403 and 405', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  const { value } = await makeKey(caller.ctx, { scopes: ['video:read'] })
  const put = (key: string) => caller.put(id, {}, { 'x-service-key': key })
  expect((await put('rk_live_wrong')).status).toBe(401)
  expect(refusalOf(await put(value))).toEqual([403, 'INSUFFICIENT_SCOPE'])
  const answer = await caller.call('POST', `/v1/video/${id}/source`)
  expect([answer.status, answer.headers.allow]).toEqual([405, expect.stringContaining('PUT')])
})

it('404: for a video that is absent, deleted, taken down, or a replacement itself', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  await caller.sent(id, new Uint8Array(likeVideo(9_000)))
  const [row = ''] = await caller.pending(id)
  const at = new Date()
  const ids = [
    'vid_0000000000000000000000',
    'none',
    await makeVideo(caller.ctx, { deletedAt: at }),
    await makeVideo(caller.ctx, { takenDownAt: at, takedownReason: 'Test' }),
    row,
  ]
  for (const one of ids) expect([one, ...refusalOf(await caller.put(one))]).toEqual([one, 404, 'VIDEO_NOT_FOUND'])
  const reader = await makeKey(caller.ctx, { scopes: ['video:read', 'video:write'] })
  for (const path of ['', '/processing', '/pictures'])
    expect((await caller.call('GET', `/v1/video/${row}${path}`, { headers: { 'x-service-key': reader.value } })).status).toBe(404)
  const list = await caller.call('GET', '/v1/video', { headers: { 'x-service-key': reader.value } })
  expect(JSON.parse(list.body).data.map((video: { id: string }) => video.id)).toEqual([id])
  expect((await caller.call('PATCH', `/v1/video/${row}`, { body: '{"title":"x"}' })).status).toBe(404)
  expect((await caller.call('DELETE', `/v1/video/${row}`)).status).toBe(404)
})

it('409 and replays: an Idempotency-Key is for one video and one body', async () => {
  const caller = await replacer(baseUrl)
  const [one, another] = [await makeVideo(caller.ctx), await makeVideo(caller.ctx)]
  const once = { 'idempotency-key': 'replace-1' }
  const first = await caller.put(one, {}, once)
  await db().media.update({ where: { id: one }, data: { encrypted: false } })
  const again = await caller.put(one, {}, once)
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([202, 'true'])
  expect(JSON.parse(again.body).data.uploadId).toBe(JSON.parse(first.body).data.uploadId)
  expect(refusalOf(await caller.put(another, {}, once))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
  expect(refusalOf(await caller.put(one, { maxBytes: 5 }, once))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
})

it('412: unless the video is as it was read', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  const { value } = await makeKey(caller.ctx, { scopes: ['video:read'] })
  const { headers } = await caller.call('GET', `/v1/video/${id}`, { headers: { 'x-service-key': value } })
  const etag = String(headers.etag)
  expect((await caller.put(id, {}, { 'if-match': etag })).status).toBe(202)
  await db().video.update({ where: { id }, data: { title: 'Another title' } })
  expect(refusalOf(await caller.put(id, {}, { 'if-match': etag }))).toEqual([412, 'PRECONDITION_FAILED'])
})

it('429: an account with as many videos as it may have can replace a source, and not add a video', async () => {
  const caller = await replacer(baseUrl)
  const { accountId } = caller.ctx
  const id = await makeVideo(caller.ctx)
  const limit = { accountId, reason: 'Test', setBy: 'usr_test' }
  await db().accountLimit.create({ data: { ...limit, name: 'videos', value: 1n } })
  expect(refusalOf(await caller.post())).toEqual([429, 'TOO_MANY_ATTEMPTS'])
  await caller.sent(id, new Uint8Array(likeVideo(9_000)))
  await db().accountLimit.create({ data: { ...limit, name: 'storageBytes', value: 10n } })
  const refused = await caller.put(id)
  expect([...refusalOf(refused), JSON.parse(refused.body).error.details]).toEqual([429, 'TOO_MANY_ATTEMPTS', { limit: 'storageBytes' }])
})

it('a cancelled, expired or wrong file leaves the video as it is', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  const before = await db().video.findUniqueOrThrow({ where: { id } })
  const { uploadId } = await caller.created(id)
  expect(JSON.parse((await caller.cancel(uploadId)).body).data).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
  const wrong = await caller.created(id)
  expect((await caller.sendTo(wrong.uploadUrl, new TextEncoder().encode('<html>'))).status).toBe(400)
  expect(await caller.get(wrong.uploadId)).toMatchObject({ status: 'failed', failureCode: 'NOT_A_VIDEO', videoId: null })
  const sent = await caller.sent(id, new Uint8Array(likeVideo(9_000)))
  const completed = await caller.cancel(sent)
  expect(refusalOf(completed)).toEqual([409, 'UPLOAD_CONFLICT'])
  expect(completed.body).toContain('its file replaces the source of its video')
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toEqual(before)
})
