import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { JOBS } from '../jobs.ts'
import { storageOf } from '../modules/identity/accounts/storage.ts'
import { uploadPath } from '../modules/uploads/resumable/folder.ts'
import { db, query } from '../platform/database/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { uploadCaller } from '../testing/direct-upload.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { inRanges, startFileServer } from '../testing/services/file-server.ts'
import { startWorkerProcess } from '../testing/services/worker-process.ts'
import { provide } from '../testing/settings.ts'
import { likeVideo, sha256 } from '../testing/tus-client.ts'

await testDatabase()
const settings = { IMPORT_ALLOWED_HOSTS: '127.0.0.1', STORAGE_RESERVE_BYTES: '0' }
provide(settings)
const baseUrl = await startHttpServer()
const source = await startFileServer()
const MB = 1024 ** 2

beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

it('an import goes on from the bytes it has after its worker was killed, and is completed once', async () => {
  const caller = await uploadCaller(baseUrl)
  const file = likeVideo(40 * MB)
  // Sends a part of the second range and then waits, so that the worker is in the middle of it.
  source.serve((req, res, nth) => {
    if (nth !== 2) return inRanges(file)(req, res, nth)
    res.writeHead(206, { ETag: '"one"', 'Content-Range': `bytes ${16 * MB}-${32 * MB - 1}/${file.length}`, 'Content-Length': 16 * MB })
    res.write(file.subarray(16 * MB, 20 * MB))
  })
  const worker = await startWorkerProcess('worker', settings)
  const body = JSON.stringify({ url: `${source.url}/clip.mp4` })
  const { uploadId } = JSON.parse((await caller.call('POST', '/v1/video/import', { body })).body).data
  await vi.waitFor(async () => expect((await caller.get(uploadId)).bytesReceived).toBeGreaterThan(17 * MB))
  await worker.kill()
  const { bytesReceived, status } = await caller.get(uploadId)
  expect(status).toBe('uploading')
  const before = source.asked.length
  const second = await startWorkerProcess('worker', settings)
  await vi.waitFor(async () => expect((await caller.get(uploadId)).status).toBe('completed'), { timeout: 180_000, interval: 200 })
  await second.kill()
  expect(source.asked[before]?.range).toBe(`bytes=${bytesReceived}-${bytesReceived + 16 * MB - 1}`)
  const { videoId } = await caller.get(uploadId)
  const { sourceKey } = await db().media.findUniqueOrThrow({ where: { id: videoId } })
  expect(await sha256(storage().read(sourceKey))).toBe(await sha256([file]))
  expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, videos: 1, originalBytes: file.length })
  expect(await query('test-sources', 'SELECT id FROM upload_import', [])).toEqual([])
})

it('a cancelled import of another process ends its request and leaves nothing', async () => {
  const caller = await uploadCaller(baseUrl)
  let close = () => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  source.serve((_req, res) => {
    res.writeHead(200, { 'Content-Length': 40 * MB }).write(likeVideo(4 * MB))
    res.on('close', close)
  })
  const worker = await startWorkerProcess('worker', settings)
  const body = JSON.stringify({ url: `${source.url}/clip.mp4` })
  const { uploadId } = JSON.parse((await caller.call('POST', '/v1/video/import', { body })).body).data
  await vi.waitFor(async () => expect((await caller.get(uploadId)).bytesReceived).toBeGreaterThan(0))
  expect((await caller.cancel(uploadId)).status).toBe(200)
  await closed
  expect(await caller.get(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
  await vi.waitFor(() => expect([existsSync(uploadPath(uploadId)), existsSync(`${uploadPath(uploadId)}.json`)]).toEqual([false, false]))
  expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, totalBytes: 0 })
  await worker.kill()
})
