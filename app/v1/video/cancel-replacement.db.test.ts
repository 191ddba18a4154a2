import { afterAll, beforeAll, expect, it } from 'vitest'
import { JOBS } from '../../../server/jobs.ts'
import { storageOf } from '../../../server/modules/identity/accounts/storage.ts'
import { removeDueMedia } from '../../../server/modules/media/remove-media.ts'
import { db } from '../../../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../../../server/platform/job-queue.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { refusalOf } from '../../../server/testing/direct-upload.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeKey, makeVideo } from '../../../server/testing/make.ts'
import { replacer, storedUnder } from '../../../server/testing/media/replacing.ts'
import { plannedWork } from '../../../server/testing/media/transcode-rows.ts'
import { provide } from '../../../server/testing/settings.ts'
import { likeVideo } from '../../../server/testing/tus-client.ts'

await testDatabase()
provide({ IMPORT_ALLOWED_HOSTS: 'files.example', STORAGE_RESERVE_BYTES: '0' })
const baseUrl = await startHttpServer()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

type Caller = Awaited<ReturnType<typeof replacer>>
const file = () => new Uint8Array(likeVideo(9_000))

async function cancelled(caller: Caller, id: string) {
  const { status, body } = await caller.call('DELETE', `/v1/video/${id}/source`)
  expect([status, body]).toEqual([200, expect.any(String)])
  return JSON.parse(body).data
}
async function processingOf(caller: Caller, id: string) {
  const { value } = await makeKey(caller.ctx)
  const { status, body } = await caller.call('GET', `/v1/video/${id}/processing`, { headers: { 'x-service-key': value } })
  expect(status).toBe(200)
  return JSON.parse(body).data
}
const eventsOf = async (accountId: string) =>
  (await db().webhookEvent.findMany({ where: { accountId }, orderBy: { createdAt: 'asc' } })).map(({ type, payload }) => ({
    type,
    data: JSON.parse(payload).data,
  }))
const failedEvents = async ({ ctx }: Caller) =>
  (await eventsOf(ctx.accountId)).filter(({ type }) => type === 'upload.failed').map(({ data }) => data)
const entries = ({ ctx }: Caller) =>
  db().auditEntry.findMany({
    where: { accountId: ctx.accountId, action: { in: ['video.source', 'video.cancel-source'] } },
    orderBy: { id: 'asc' },
    select: { action: true, subject: true, before: true, after: true, actor: true },
  })

it('GET processing shows the new source next to the video, without the id of its media', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  expect((await processingOf(caller, id)).replacement).toBeNull()
  const uploadId = await caller.sent(id, file())
  const [row = ''] = await caller.pending(id)
  const waiting = await processingOf(caller, id)
  expect(waiting).toMatchObject({
    ...{ videoId: id, status: 'COMPLETED', stage: 'completed', progress: 1 },
    replacement: { uploadId, sourceName: expect.any(String), stage: 'queued', progress: 0, queue: expect.any(Object), chunks: [] },
  })
  expect(JSON.stringify(waiting)).not.toContain(row)
  await db().transcodeQueue.update({ where: { mediaId: row }, data: { plan: plannedWork(2) as object } })
  const task = { mediaId: row, kind: 'video' as const }
  const done = { position: 0, doneAt: new Date(), progress: 1, startedAt: new Date(), worker: 'prc_one' }
  await db().transcodeTask.createMany({
    data: [
      { ...task, ...done },
      { ...task, position: 1 },
    ],
  })
  expect((await processingOf(caller, id)).replacement).toMatchObject({ stage: 'encoding', progress: 0.5, chunksDone: 1 })
})

it('DELETE ends what is transcoded, and the video stays as it is', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx, { sourceName: 'former.mp4' })
  const before = await db().video.findUniqueOrThrow({ where: { id } })
  const uploadId = await caller.sent(id, file())
  const [row = ''] = await caller.pending(id)
  const { sourceName } = await db().media.findUniqueOrThrow({ where: { id: row } })
  expect(await cancelled(caller, id)).toEqual({ videoId: id, cancelled: true })
  expect(await caller.get(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED', videoId: null })
  expect(await failedEvents(caller)).toEqual([expect.objectContaining({ uploadId, code: 'CANCELLED' })])
  expect((await processingOf(caller, id)).replacement).toBeNull()
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toEqual(before)
  await removeDueMedia(new AbortController().signal)
  expect(await storedUnder(row)).toEqual([])
  const log = await db().videoLog.findMany({ where: { videoId: id }, orderBy: { id: 'asc' } })
  expect(log.map(({ message }) => message)).toContain(`The replacement of the source by “${sourceName}” was cancelled.`)
  expect(await entries(caller)).toEqual([
    expect.objectContaining({
      ...{ action: 'video.source', subject: id, actor: expect.any(String) },
      ...{ before: { sourceName: 'former.mp4' }, after: expect.objectContaining({ sourceName }) },
    }),
    { action: 'video.cancel-source', subject: id, actor: caller.keyId, before: { sourceName }, after: { sourceName: 'former.mp4' } },
  ])
  // Again, there is nothing.
  expect(await cancelled(caller, id)).toEqual({ videoId: id, cancelled: false })
  expect(await entries(caller)).toHaveLength(2)
})

it('DELETE ends open uploads and imports for this video, and no others', async () => {
  const caller = await replacer(baseUrl)
  const [id, another] = [await makeVideo(caller.ctx), await makeVideo(caller.ctx)]
  const upload = await caller.created(id)
  const imported = await caller.created(id, { url: 'http://files.example/clip.mp4' })
  const others = [(await caller.created(another)).uploadId, (await caller.create()).uploadId]
  expect(await cancelled(caller, id)).toEqual({ videoId: id, cancelled: true })
  for (const { uploadId } of [upload, imported])
    expect(await caller.get(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
  for (const uploadId of others) expect(await caller.get(uploadId)).toMatchObject({ status: 'waiting' })
  expect((await caller.sendTo(upload.uploadUrl, file())).status).toBe(410)
  expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 2 })
})

it('DELETE leaves a source that replaced the former one', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  const uploadId = await caller.sent(id, file())
  const [row = ''] = await caller.pending(id)
  await db().video.update({ where: { id }, data: { mediaId: row } })
  await db().media.update({ where: { id }, data: { keptUntil: new Date(Date.now() + 60_000) } })
  expect(await cancelled(caller, id)).toEqual({ videoId: id, cancelled: false })
  expect(await caller.get(uploadId)).toMatchObject({ status: 'completed' })
  expect((await processingOf(caller, id)).replacement).toBeNull()
})

it('401, 403 and 404', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  const uploadId = await caller.sent(id, file())
  const [row = ''] = await caller.pending(id)
  const { value } = await makeKey(caller.ctx, { scopes: ['video:read'] })
  const cancel = (videoId: string, headers = {}) => caller.call('DELETE', `/v1/video/${videoId}/source`, { headers })
  expect((await cancel(id, { 'x-service-key': 'rk_live_wrong' })).status).toBe(401)
  expect(refusalOf(await cancel(id, { 'x-service-key': value }))).toEqual([403, 'INSUFFICIENT_SCOPE'])
  const at = new Date()
  const hidden = [await makeVideo(caller.ctx, { deletedAt: at }), await makeVideo(caller.ctx, { takenDownAt: at, takedownReason: 'Test' })]
  for (const one of ['vid_0000000000000000000000', 'none', row, ...hidden])
    expect([one, ...refusalOf(await cancel(one))]).toEqual([one, 404, 'VIDEO_NOT_FOUND'])
  const stranger = await replacer(baseUrl)
  expect(refusalOf(await stranger.call('DELETE', `/v1/video/${id}/source`))).toEqual([404, 'VIDEO_NOT_FOUND'])
  expect(await caller.get(uploadId)).toMatchObject({ status: 'completed' })
})
