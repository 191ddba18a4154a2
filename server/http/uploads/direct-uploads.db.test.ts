import { writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { storageOf } from '../../modules/identity/accounts/storage.ts'
import { completeUpload } from '../../modules/uploads/complete.ts'
import { cancelOpen } from '../../modules/uploads/direct/cancel-direct.ts'
import { type DirectRow, failDirect, readDirect } from '../../modules/uploads/direct/direct-rows.ts'
import { expireDirectUploads } from '../../modules/uploads/direct/expire-direct.ts'
import { actorOf } from '../../modules/uploads/direct/open-direct.ts'
import { uploadPath } from '../../modules/uploads/resumable/folder.ts'
import { type UploadInfo, uploadPlace } from '../../modules/uploads/resumable/place.ts'
import { sweepUploads } from '../../modules/uploads/resumable/sweep.ts'
import { sourceKey } from '../../modules/videos/media-keys.ts'
import { db, query } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import { storage } from '../../platform/storage/storage.ts'
import { send } from '../../testing/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { type Created, refusalOf, uploadCaller } from '../../testing/direct-upload.ts'
import { startHttpServer } from '../../testing/http-server.ts'
import { waitForLocks } from '../../testing/lock-waits.ts'
import { makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { likeVideo, sha256 } from '../../testing/tus-client.ts'

await testDatabase()
provide({ MAX_UPLOAD_BYTES: '5000000' })
const baseUrl = await startHttpServer()

type Headers_ = Record<string, string>
let caller: Awaited<ReturnType<typeof uploadCaller>>
beforeEach(async () => {
  caller = await uploadCaller(baseUrl)
})

const tus = (method: string, url: string, headers: Headers_ = {}, body?: BodyInit) =>
  fetch(url, { method, headers: { 'Tus-Resumable': '1.0.0', ...headers }, body })
const patch = (url: string, offset: number, body: Uint8Array<ArrayBuffer>, headers: Headers_ = {}) =>
  tus('PATCH', url, { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream', ...headers }, body)
const put = (url: string, body: BodyInit, headers: Headers_ = {}) => fetch(url, { method: 'PUT', body, headers })
const bytes = (length: number) => new Uint8Array(likeVideo(length))
const refused = async (response: Response) => refusalOf({ status: response.status, body: await response.text() })
const row = (uploadId: string) => db().directUpload.findUniqueOrThrow({ where: { id: uploadId } })
/** Returns the events of uploads that ended without a video. */
const events = async () =>
  (await db().webhookEvent.findMany({ where: { accountId: caller.ctx.accountId, type: 'upload.failed' } })).map(({ payload }) =>
    JSON.parse(payload),
  )
/** Moves the expiry of an upload into the past. */
const lapse = (uploadId: string) => db().directUpload.update({ where: { id: uploadId }, data: { expiresAt: new Date(Date.now() - 1_000) } })
const signal = new AbortController().signal

describe('an upload created through the API', () => {
  it('returns its id, its URL without a key, the protocol and its expiry', async () => {
    const answer = await caller.post({ title: 'Clip', maxBytes: 1_000, expiresInSec: 600 })
    expect(answer.status).toBe(201)
    const { success, data } = JSON.parse(answer.body)
    expect([success, Object.keys(data)]).toEqual([true, ['uploadId', 'uploadUrl', 'protocol', 'expiresAt']])
    expect(data.uploadId).toMatch(/^upl_[0-9A-Za-z]{22}$/)
    expect(data.uploadUrl).toMatch(new RegExp(`^${baseUrl}/api/upload/${data.uploadId}/[\\w-]{22}$`))
    expect(data.uploadUrl).not.toContain(caller.key)
    expect(data.protocol).toBe('tus')
    const life = new Date(data.expiresAt).getTime() - (await row(data.uploadId)).createdAt.getTime()
    expect(life).toBe(600_000)
    expect(answer.headers.location).toBe(`/v1/upload/${data.uploadId}`)
  })

  it('waits, uploads and is completed: the video has the fields, and the audit log names the key', async () => {
    const own = { metadata: { course: '12' }, externalId: 'lesson-42' }
    const fields = { title: 'Harbour', description: 'At dawn', targetQuality: '720p', encrypted: false, ...own }
    const { uploadId, uploadUrl } = await caller.create(fields)
    expect(await caller.get(uploadId)).toMatchObject({
      status: 'waiting',
      bytesReceived: 0,
      bytesTotal: null,
      videoId: null,
      maxBytes: 5_000_000,
    })
    const file = bytes(40_000)
    const started = await tus('HEAD', uploadUrl)
    expect([started.status, started.headers.get('upload-offset'), started.headers.get('upload-defer-length')]).toEqual([200, '0', '1'])
    expect(started.headers.get('upload-metadata')).toBeNull()
    expect((await patch(uploadUrl, 0, file.slice(0, 10_000), { 'Upload-Length': '40000' })).status).toBe(204)
    expect(await caller.get(uploadId)).toMatchObject({ status: 'uploading', bytesReceived: 10_000, bytesTotal: 40_000 })
    const last = await patch(uploadUrl, 10_000, file.slice(10_000))
    const videoId = last.headers.get('x-video-id') ?? ''
    expect([last.status, videoId]).toEqual([204, expect.stringMatching(/^vid_/)])
    expect(await caller.get(uploadId)).toMatchObject({
      status: 'completed',
      bytesReceived: 40_000,
      bytesTotal: 40_000,
      videoId,
      failureCode: null,
    })
    const { media, ...video } = await db().video.findUniqueOrThrow({ where: { id: videoId }, include: { media: true } })
    expect(video).toMatchObject({ ...fields, accountId: caller.ctx.accountId, status: 'PENDING' })
    expect(media?.sourceBytes).toBe(40_000n)
    expect(await sha256(storage().read(media?.sourceKey ?? ''))).toBe(await sha256([file]))
    expect(await db().auditEntry.findFirst({ where: { subject: videoId } })).toMatchObject({ action: 'video.upload', actor: caller.keyId })
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, videos: 1 })
  })

  it('with an externalId that another video has is refused, unless the request repeats that of its own video', async () => {
    const once = { 'Idempotency-Key': 'lesson-7' }
    const first = await caller.create({ externalId: 'lesson-7' }, once)
    expect((await put(first.uploadUrl, bytes(100))).status).toBe(200)
    const { videoId } = await caller.get(first.uploadId)
    const again = await caller.post({ externalId: 'lesson-7' })
    expect(refusalOf(again)).toEqual([409, 'EXTERNAL_ID_IN_USE'])
    expect(JSON.parse(again.body).error.details).toEqual({ externalId: 'lesson-7', videoId })
    expect((await caller.create({ externalId: 'lesson-7' }, once)).uploadId).toBe(first.uploadId)
  })

  it('whose externalId another video took meanwhile becomes a video without one, and its log states it', async () => {
    const [one, other] = [await caller.create({ externalId: 'lesson-8' }), await caller.create({ externalId: 'lesson-8', title: 'Second' })]
    for (const { uploadUrl } of [one, other]) expect((await put(uploadUrl, bytes(100))).status).toBe(200)
    const { videoId } = await caller.get(other.uploadId)
    expect(await db().video.findUniqueOrThrow({ where: { id: videoId } })).toMatchObject({ externalId: null, title: 'Second' })
    expect((await db().videoLog.findMany({ where: { videoId } })).map(({ message }) => message)).toContain(
      'Another video has the externalId “lesson-8”, so this video has none.',
    )
  })

  it('whose externalId another video takes in the same instant becomes a video without one: both are answered', async () => {
    const uploads = [await caller.create({ externalId: 'lesson-9' }), await caller.create({ externalId: 'lesson-9' })]
    const videoId = await makeVideo(caller.ctx)
    let answers: Promise<Response>[] = []
    // A change that takes the id and is undone: both completions have found the id free, and wait to write it.
    const undone = db().$transaction(async (tx) => {
      await tx.video.update({ where: { id: videoId }, data: { externalId: 'lesson-9' } })
      answers = uploads.map(({ uploadUrl }) => put(uploadUrl, bytes(100)))
      await waitForLocks(2)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
    const videos = await db().video.findMany({ where: { accountId: caller.ctx.accountId, id: { not: videoId } }, include: { log: true } })
    expect(videos.map(({ externalId }) => externalId).sort()).toEqual(['lesson-9', null])
    const [without] = videos.filter(({ externalId }) => externalId === null)
    expect(without?.log.map(({ message }) => message)).toContain('Another video has the externalId “lesson-9”, so this video has none.')
    expect(await Promise.all(uploads.map(async ({ uploadId }) => (await caller.get(uploadId)).status))).toEqual(['completed', 'completed'])
  })

  it('of a tus client that creates: the POST announces the size, and its name becomes the title', async () => {
    const { uploadId, uploadUrl } = await caller.create()
    const metadata = `filename ${Buffer.from('Über alles.mp4').toString('base64')}`
    for (let round = 0; round < 2; round++) {
      const made = await tus('POST', uploadUrl, { 'Upload-Length': '9000', 'Upload-Metadata': metadata })
      expect([made.status, made.headers.get('location')]).toEqual([201, new URL(uploadUrl).pathname])
      // The second POST begins again.
      if (round === 0) expect((await patch(uploadUrl, 0, bytes(4_000))).status).toBe(204)
    }
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 1, unfinishedBytes: 9_000 })
    const videoId = (await patch(uploadUrl, 0, bytes(9_000))).headers.get('x-video-id') ?? ''
    const video = await db().video.findUniqueOrThrow({ where: { id: videoId }, include: { media: true } })
    expect(video).toMatchObject({ title: 'Über alles', media: { sourceName: 'Über alles.mp4' } })
    expect((await caller.get(uploadId)).status).toBe('completed')
  })

  it.each(['with a length', 'chunked'])('takes one PUT of the whole file, %s', async (way) => {
    const { uploadId, uploadUrl } = await caller.create({ title: 'Clip' })
    const file = bytes(300_000)
    const body = way === 'chunked' ? new Blob([file]).stream() : file
    const sent = await fetch(uploadUrl, { method: 'PUT', body, duplex: 'half' } as RequestInit)
    expect(sent.status).toBe(200)
    const { data } = (await sent.json()) as { data: { videoId: string } }
    expect(data).toMatchObject({ uploadId, status: 'completed', bytesReceived: 300_000 })
    const { sourceKey } = await db().media.findUniqueOrThrow({ where: { id: data.videoId } })
    expect(await sha256(storage().read(sourceKey))).toBe(await sha256([file]))
    expect((await caller.get(uploadId)).videoId).toBe(data.videoId)
  })

  it('takes a PUT in place of what a tus client sent before', async () => {
    const { uploadUrl } = await caller.create()
    await patch(uploadUrl, 0, bytes(5_000), { 'Upload-Length': '9000' })
    const file = bytes(20_000)
    const videoId = (await put(uploadUrl, file)).headers.get('x-video-id') ?? ''
    const { sourceKey } = await db().media.findUniqueOrThrow({ where: { id: videoId } })
    expect(await sha256(storage().read(sourceKey))).toBe(await sha256([file]))
  })

  it('that is completed answers a client that lost the last response, and takes nothing more', async () => {
    const { uploadId, uploadUrl } = await caller.create()
    const videoId = (await put(uploadUrl, bytes(9_000))).headers.get('x-video-id') ?? ''
    const asked = await tus('HEAD', uploadUrl)
    expect([asked.status, asked.headers.get('upload-offset'), asked.headers.get('x-video-id')]).toEqual([200, '9000', videoId])
    expect(await refused(await put(uploadUrl, bytes(9_000)))).toEqual([409, 'UPLOAD_CONFLICT'])
    expect(await refused(await patch(uploadUrl, 0, bytes(9_000)))).toEqual([409, 'UPLOAD_CONFLICT'])
    expect(await refused(await tus('DELETE', uploadUrl))).toEqual([409, 'UPLOAD_CONFLICT'])
    expect(refusalOf(await caller.cancel(uploadId))).toEqual([409, 'UPLOAD_CONFLICT'])
    expect(await db().video.count({ where: { accountId: caller.ctx.accountId } })).toBe(1)
  })
})

describe('the origin of a page', () => {
  const ORIGIN = 'https://www.example.com'
  const preflight = (url: string, origin: string) =>
    fetch(url, { method: 'OPTIONS', headers: { Origin: origin, 'Access-Control-Request-Method': 'PATCH' } })

  it('is permitted when it is allowedOrigin: preflight and responses', async () => {
    const { uploadUrl } = await caller.create({ allowedOrigin: `${ORIGIN}/` })
    const asked = await preflight(uploadUrl, ORIGIN)
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN])
    expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(asked.headers.get('access-control-allow-headers')).toContain('Upload-Offset')
    const sent = await patch(uploadUrl, 0, bytes(9_000), { Origin: ORIGIN, 'Upload-Length': '9000' })
    expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN])
    expect(sent.headers.get('access-control-expose-headers')).toMatch(/Upload-Offset.*X-Video-Id/)
    expect(sent.headers.get('vary')).toBe('Origin')
  })

  it.each([
    ['another origin', 'https://evil.example', { allowedOrigin: ORIGIN }],
    ['another scheme', 'http://www.example.com', { allowedOrigin: ORIGIN }],
    ['a hidden origin', 'null', { allowedOrigin: ORIGIN }],
    ['any origin, without allowedOrigin', ORIGIN, {}],
  ])('is refused when it is %s', async (_name, origin, input) => {
    const { uploadId, uploadUrl } = await caller.create(input)
    const asked = await preflight(uploadUrl, origin)
    expect([await refused(asked), asked.headers.get('access-control-allow-origin')]).toEqual([[403, 'ORIGIN_NOT_ALLOWED'], null])
    const headers = { Origin: origin, 'Upload-Length': '9000' }
    for (const answer of [
      await patch(uploadUrl, 0, bytes(9_000), headers),
      await put(uploadUrl, bytes(9_000), headers),
      await tus('DELETE', uploadUrl, headers),
    ])
      expect(await refused(answer)).toEqual([403, 'ORIGIN_NOT_ALLOWED'])
    expect(await caller.get(uploadId)).toMatchObject({ status: 'waiting', bytesReceived: 0 })
  })

  it('is not required of programs, and tus clients learn what the server supports', async () => {
    const { uploadUrl } = await caller.create({ allowedOrigin: ORIGIN, maxBytes: 9_000 })
    const asked = await tus('OPTIONS', uploadUrl)
    expect([asked.status, asked.headers.get('tus-max-size'), asked.headers.get('access-control-allow-methods')]).toEqual([
      204,
      '9000',
      null,
    ])
    expect((await put(uploadUrl, bytes(9_000))).status).toBe(200)
  })
})

describe('an upload URL', () => {
  it.each<[string, (url: string) => string]>([
    ['a changed signature', (url) => `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`],
    ['no signature', (url) => url.slice(0, url.lastIndexOf('/'))],
    ['an empty signature', (url) => url.slice(0, url.lastIndexOf('/') + 1)],
    ['another id', (url) => url.replace(/upl_\w{4}/, 'upl_0000')],
    ['more segments', (url) => `${url}/x`],
    ['a NUL', (url) => `${url}%00`],
  ])('with %s opens nothing', async (_name, change) => {
    const { uploadId, uploadUrl } = await caller.create({ allowedOrigin: 'https://www.example.com' })
    for (const method of ['HEAD', 'DELETE', 'PUT', 'PATCH', 'POST', 'OPTIONS']) {
      const answer = await send(change(uploadUrl), { method, headers: { 'Tus-Resumable': '1.0.0' } })
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, '*'])
      if (method !== 'HEAD') expect(refusalOf(answer)).toEqual([403, 'UPLOAD_URL_INVALID'])
    }
    expect((await caller.get(uploadId)).status).toBe('waiting')
  })

  it('whose row is gone gives UPLOAD_NOT_FOUND', async () => {
    const { uploadId, uploadUrl } = await caller.create()
    await db().directUpload.delete({ where: { id: uploadId } })
    expect(await refused(await put(uploadUrl, bytes(9_000)))).toEqual([404, 'UPLOAD_NOT_FOUND'])
  })

  it('refuses other methods, and a request of tus without its version', async () => {
    const { uploadUrl } = await caller.create()
    const read = await fetch(uploadUrl)
    expect([await refused(read), read.headers.get('allow')]).toEqual([
      [405, 'METHOD_NOT_ALLOWED'],
      'POST, HEAD, PATCH, PUT, DELETE, OPTIONS',
    ])
    const unversioned = await fetch(uploadUrl, { method: 'PATCH', body: 'x' })
    expect([unversioned.headers.get('content-type'), unversioned.headers.get('tus-version')]).toEqual(['application/json', '1.0.0'])
    expect(await refused(unversioned)).toEqual([412, 'PRECONDITION_FAILED'])
  })

  it.each<[string, string, Headers_]>([
    ['a negative size', 'POST', { 'Upload-Length': '-5' }],
    ['no size', 'POST', {}],
    ['metadata that is not Base64', 'POST', { 'Upload-Length': '9', 'Upload-Metadata': 'filename %' }],
    ['an offset that is no number', 'PATCH', { 'Upload-Offset': 'x', 'Content-Type': 'application/offset+octet-stream' }],
    ['another media type', 'PATCH', { 'Upload-Offset': '0', 'Content-Type': 'text/plain' }],
  ])('refuses %s with an envelope, also to a page', async (_, method, headers) => {
    const Origin = 'https://site.example.com'
    const { uploadUrl } = await caller.create({ allowedOrigin: Origin })
    const answer = await tus(method, uploadUrl, { Origin, ...headers })
    expect([answer.headers.get('content-type'), answer.headers.get('access-control-allow-origin')]).toEqual(['application/json', Origin])
    expect(await refused(answer)).toEqual([400, 'INVALID_REQUEST'])
  })

  it('states maxBytes to a client that announces more', async () => {
    const { uploadUrl } = await caller.create({ maxBytes: 1_000 })
    const { error } = (await (await tus('POST', uploadUrl, { 'Upload-Length': '1001' })).json()) as { error: Record<string, unknown> }
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: { maxBytes: 1_000 } })
  })

  it('of a suspended account is refused', async () => {
    const { uploadUrl } = await caller.create()
    await db().account.update({ where: { id: caller.ctx.accountId }, data: { suspendedAt: new Date() } })
    expect(await refused(await put(uploadUrl, bytes(9_000)))).toEqual([403, 'ACCOUNT_SUSPENDED'])
  })

  it('refuses bytes that do not follow those received', async () => {
    const { uploadUrl } = await caller.create()
    await patch(uploadUrl, 0, bytes(4_000), { 'Upload-Length': '9000' })
    const answer = await patch(uploadUrl, 100, bytes(8_900))
    expect([answer.headers.get('content-type'), await refused(answer)]).toEqual(['application/json', [409, 'UPLOAD_CONFLICT']])
  })
})

describe('maxBytes', () => {
  const inChunks = (length: number) =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < length; at += 10_000) controller.enqueue(bytes(10_000))
        controller.close()
      },
    })

  it.each<[string, (url: string) => Promise<Response>]>([
    ['a PUT with its length', (url) => put(url, bytes(50_001))],
    ['a chunked PUT', (url) => fetch(url, { method: 'PUT', body: inChunks(90_000), duplex: 'half' } as RequestInit)],
    ['a size announced with the first bytes', (url) => patch(url, 0, bytes(9), { 'Upload-Length': '50001' })],
    ['a size announced by POST', (url) => tus('POST', url, { 'Upload-Length': '50001' })],
    ['bytes without a size', (url) => patch(url, 0, bytes(50_001))],
  ])('refuses %s above it, and the upload still takes a smaller file', async (_name, tooMuch) => {
    const { uploadId, uploadUrl } = await caller.create({ maxBytes: 50_000 })
    expect(await refused(await tooMuch(uploadUrl))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await caller.get(uploadId)).toMatchObject({ status: 'waiting', bytesReceived: 0 })
    expect((await put(uploadUrl, bytes(50_000))).status).toBe(200)
  })
})

describe('an upload ends without a video', () => {
  it.each<[string, (upload: Created) => Promise<number>]>([
    ['a key', async ({ uploadId }) => (await caller.cancel(uploadId)).status],
    ['its client', async ({ uploadUrl }) => (await tus('DELETE', uploadUrl)).status],
  ])('when %s cancels it', async (who, cancel) => {
    const { uploadId, uploadUrl } = await caller.create({ externalId: 'lesson-42' })
    await patch(uploadUrl, 0, bytes(4_000), { 'Upload-Length': '9000' })
    expect(await cancel({ uploadId, uploadUrl } as Created)).toBe(who === 'a key' ? 200 : 204)
    expect(await caller.get(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED', videoId: null })
    expect(await refused(await patch(uploadUrl, 4_000, bytes(5_000)))).toEqual([410, 'UPLOAD_FAILED'])
    expect((await caller.cancel(uploadId)).status).toBe(200)
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, videos: 0 })
    const data = { uploadId, code: 'CANCELLED', reason: 'The upload was cancelled.', externalId: 'lesson-42' }
    expect(await events()).toMatchObject([{ eventType: 'upload.failed', data }])
  })

  it('when it expires: its URL refuses at once, the job removes it and emits the event once', async () => {
    const { uploadId, uploadUrl } = await caller.create()
    await patch(uploadUrl, 0, bytes(4_000), { 'Upload-Length': '9000' })
    await lapse(uploadId)
    expect(await caller.get(uploadId)).toMatchObject({ status: 'expired', failureCode: 'EXPIRED', bytesReceived: 4_000 })
    for (const answer of [await patch(uploadUrl, 4_000, bytes(5_000)), await put(uploadUrl, bytes(9)), await tus('POST', uploadUrl)])
      expect(await refused(answer)).toEqual([410, 'UPLOAD_EXPIRED'])
    await expireDirectUploads(signal)
    await expireDirectUploads(signal)
    expect(await caller.get(uploadId)).toMatchObject({ status: 'expired', failureCode: 'EXPIRED' })
    expect(await refused(await put(uploadUrl, bytes(9)))).toEqual([410, 'UPLOAD_EXPIRED'])
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0 })
    expect(await events()).toMatchObject([{ eventType: 'upload.failed', data: { uploadId, code: 'EXPIRED' } }])
  })

  it('but not when all of its bytes had arrived before it expired', async () => {
    const { uploadId, uploadUrl } = await caller.create()
    await tus('POST', uploadUrl, { 'Upload-Length': '9000' })
    await writeFile(uploadPath(uploadId), bytes(9_000))
    await lapse(uploadId)
    await expireDirectUploads(signal)
    expect(await caller.get(uploadId)).toMatchObject({ status: 'completed', bytesReceived: 9_000 })
    expect(await db().auditEntry.findFirst({ where: { action: 'video.upload', accountId: caller.ctx.accountId } })).toMatchObject({
      actor: caller.keyId,
    })
  })

  it.each([
    ['the job that ends expired uploads', expireDirectUploads],
    ['the sweep', sweepUploads],
  ])('although %s cannot read another one', async (_name, run) => {
    const [broken, other] = [await caller.create(), await caller.create()]
    for (const { uploadId, uploadUrl } of [broken, other]) {
      await tus('POST', uploadUrl, { 'Upload-Length': '9000' })
      await lapse(uploadId)
    }
    await writeFile(uploadPath(other.uploadId), bytes(9_000))
    const place = uploadPlace()
    const read = place.received
    const spy = vi
      .spyOn(place, 'received')
      .mockImplementation((id) => (id === broken.uploadId ? Promise.reject(new Error('EIO')) : read(id)))
    await expect(run(signal)).rejects.toThrow('EIO')
    spy.mockRestore()
    expect(await caller.get(other.uploadId)).toMatchObject({ status: 'completed', bytesReceived: 9_000 })
    await caller.cancel(broken.uploadId)
  })

  it.each([
    ['is not a video', 'PUT', 'NOT_A_VIDEO'],
    ['is not a video', 'PATCH', 'NOT_A_VIDEO'],
  ])('when its file %s (%s)', async (_name, method, code) => {
    const { uploadId, uploadUrl } = await caller.create()
    const text = new Uint8Array(Buffer.from('Just some words that are no clip at all.'))
    const answer = method === 'PUT' ? await put(uploadUrl, text) : await patch(uploadUrl, 0, text, { 'Upload-Length': String(text.length) })
    expect(await refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(await caller.get(uploadId)).toMatchObject({
      status: 'failed',
      failureCode: code,
      failureReason: expect.stringMatching(/^This file is not a video/),
    })
    expect(await events()).toMatchObject([{ data: { code } }])
  })

  it('not for an empty file, which its client may replace', async () => {
    const { uploadId, uploadUrl } = await caller.create()
    expect(await refused(await put(uploadUrl, new Uint8Array(0)))).toEqual([400, 'INVALID_REQUEST'])
    expect(await refused(await tus('POST', uploadUrl, { 'Upload-Length': '0' }))).toEqual([400, 'INVALID_REQUEST'])
    expect((await caller.get(uploadId)).status).toBe('waiting')
  })

  it('and can be requested for 30 days', async () => {
    const { uploadId } = await caller.create()
    await caller.cancel(uploadId)
    await query('test-old', `UPDATE direct_upload SET ended_at = ended_at - interval '29 days' WHERE id = $1`, [uploadId])
    await expireDirectUploads(signal)
    expect((await caller.get(uploadId)).status).toBe('failed')
    await query('test-older', `UPDATE direct_upload SET ended_at = ended_at - interval '2 days' WHERE id = $1`, [uploadId])
    await expireDirectUploads(signal)
    expect(refusalOf(await caller.call('GET', `/v1/upload/${uploadId}`))).toEqual([404, 'UPLOAD_NOT_FOUND'])
  })
})

describe('a request that still sends bytes', () => {
  // Its end is an outcome of the upload, not a fault of the service.
  let logged: ReturnType<typeof vi.spyOn>
  beforeEach(() => {
    logged = vi.spyOn(log(), 'error')
  })
  afterEach(() => {
    expect(logged).not.toHaveBeenCalled()
    logged.mockRestore()
  })

  /** Sends the head and the first bytes of a request of 9,000 bytes; resolves with its response. */
  function begin(url: string, method: 'PUT' | 'PATCH') {
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': 0,
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': 9_000,
    }
    const sent = request(url, { method, headers: { ...headers, ...(method === 'PATCH' && { 'Upload-Length': 9_000 }) } })
    const answer = new Promise<IncomingMessage | undefined>((resolve) => sent.on('response', resolve).on('error', () => resolve(undefined)))
    sent.write(bytes(4_000))
    return { sent, answer }
  }
  const received = (uploadId: string, status = 'uploading') =>
    vi.waitFor(async () => expect(await caller.get(uploadId)).toMatchObject({ status, bytesReceived: 4_000 }))

  it.each(['PUT', 'PATCH'] as const)('with %s is ended when its upload expires', async (method) => {
    const { uploadId, uploadUrl } = await caller.create()
    await query('test-soon', `UPDATE direct_upload SET expires_at = service_now() + interval '2 seconds' WHERE id = $1`, [uploadId])
    const { sent, answer } = begin(uploadUrl, method)
    await received(uploadId)
    expect((await answer)?.statusCode).toBe(410)
    sent.destroy()
    await received(uploadId, 'expired')
  })

  it.each(['PUT', 'PATCH'] as const)('with %s is ended when a key cancels the upload', async (method) => {
    const { uploadId, uploadUrl } = await caller.create()
    const { sent, answer } = begin(uploadUrl, method)
    await received(uploadId)
    expect((await caller.cancel(uploadId)).status).toBe(200)
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0 })
    sent.end(bytes(5_000))
    expect((await answer)?.headers['x-video-id']).toBeUndefined()
    expect(await caller.get(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
    expect(await db().video.count({ where: { accountId: caller.ctx.accountId } })).toBe(0)
  })

  it.each(['loses its connection', 'stalls'])('with PUT and %s gives way to another PUT', async (how) => {
    const { uploadId, uploadUrl } = await caller.create()
    const { sent } = begin(uploadUrl, 'PUT')
    await received(uploadId)
    if (how === 'stalls') provide({ REELGATE_TEST_UPLOAD_STALL_SEC: '600' })
    else sent.destroy()
    const file = bytes(9_000)
    const videoId = (await put(uploadUrl, file)).headers.get('x-video-id') ?? ''
    const { sourceKey } = await db().media.findUniqueOrThrow({ where: { id: videoId } })
    expect(await sha256(storage().read(sourceKey))).toBe(await sha256([file]))
  })
})

describe('of completing and cancelling an upload at the same time', () => {
  /** Returns an open upload all of whose bytes have arrived, as two requests read it. */
  async function whole() {
    const { uploadId, uploadUrl } = await caller.create()
    await tus('POST', uploadUrl, { 'Upload-Length': '9000' })
    await writeFile(uploadPath(uploadId), bytes(9_000))
    const [row, ticket] = [await readDirect(uploadId), await uploadPlace().ticket(uploadId)]
    return { uploadId, row: row as DirectRow, ticket: ticket as UploadInfo }
  }

  it('the first is completing: the upload stays completed', async () => {
    const { uploadId, row, ticket } = await whole()
    const videoId = await completeUpload(actorOf(row), ticket)
    await expect(cancelOpen(row)).rejects.toMatchObject({ code: 'UPLOAD_CONFLICT' })
    expect(await caller.get(uploadId)).toMatchObject({ status: 'completed', videoId, failureCode: null })
    expect(await events()).toEqual([])
  })

  it('the first is cancelling: there is no video, and no original', async () => {
    const { uploadId, row, ticket } = await whole()
    // The bytes of the other request are stored already.
    await storage().put(sourceKey(ticket.videoId), bytes(9_000))
    await db().$transaction((tx) => failDirect(tx, uploadId, { code: 'CANCELLED', reason: 'The upload was cancelled.' }, 9_000))
    await expect(completeUpload(actorOf(row), ticket)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await db().video.count({ where: { accountId: caller.ctx.accountId } })).toBe(0)
    expect(await storage().stat(sourceKey(ticket.videoId))).toBeUndefined()
    expect(await caller.get(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
  })
})

describe('an upload that waits', () => {
  it('keeps its place however long it waits, until it expires', async () => {
    const { uploadId, uploadUrl } = await caller.create({ expiresInSec: 7 * 86_400 })
    await query('test-waits', `UPDATE upload SET started_at = started_at - interval '3 days' WHERE id = $1`, [uploadId])
    await sweepUploads(signal)
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 1 })
    expect((await put(uploadUrl, bytes(9_000))).status).toBe(200)
  })
})
