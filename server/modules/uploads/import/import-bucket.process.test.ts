import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { listMultiparts } from '../../../platform/storage/s3-multipart.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { uploadCaller } from '../../../testing/direct-upload.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { inRanges, startFileServer, whole } from '../../../testing/services/file-server.ts'
import { hasSwift, type Swift, startSwift } from '../../../testing/services/swift.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { likeVideo, sha256 } from '../../../testing/tus-client.ts'
import { storageOf } from '../../identity/accounts/storage.ts'
import { sourceKey } from '../../videos/media-keys.ts'
import { runImport } from './import-run.ts'

await testDatabase()
const MB = 1024 ** 2
const forever = new AbortController().signal

describe.skipIf(!hasSwift())('imports into an object store', () => {
  let swift: Swift
  let source: Awaited<ReturnType<typeof startFileServer>>
  let baseUrl: string
  let caller: Awaited<ReturnType<typeof uploadCaller>>

  beforeAll(async () => {
    swift = await startSwift()
    for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
    provide({ STORAGE_URL: await swift.makeBucket(), STORAGE_RESERVE_BYTES: '0', IMPORT_ALLOWED_HOSTS: '127.0.0.1' })
    renew('storage', 'uploadPlace')
    baseUrl = await startHttpServer()
    source = await startFileServer()
    await startQueue(JOBS)
  })
  afterAll(async () => {
    await stopQueue()
    await swift?.stop()
  })
  beforeEach(async () => {
    caller = await uploadCaller(baseUrl)
  })

  async function create(input = {}): Promise<string> {
    const body = JSON.stringify({ url: `${source.url}/clip.mp4`, ...input })
    return JSON.parse((await caller.call('POST', '/v1/video/import', { body })).body).data.uploadId
  }
  async function expectStored(uploadId: string, file: Uint8Array) {
    const { status, videoId, bytesReceived } = await caller.get(uploadId)
    expect([status, bytesReceived]).toEqual(['completed', file.length])
    expect(await sha256(storage().read(sourceKey(videoId)))).toBe(await sha256([file]))
  }
  /** Checks that neither the store nor the database holds anything of an import that ended without a video. */
  async function expectNothingLeft(uploadId: string) {
    const { videoId } = await db().directUpload.findUniqueOrThrow({ where: { id: uploadId } })
    const found: string[] = []
    for await (const { key } of listMultiparts('sources/')) if (key.endsWith(videoId)) found.push(key)
    for await (const key of storage().list(`uploads/${uploadId}/`)) found.push(key)
    expect(await storage().stat(sourceKey(videoId))).toBeUndefined()
    expect(found).toEqual([])
    expect(await db().multipartUpload.count({ where: { id: uploadId } })).toBe(0)
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, totalBytes: 0 })
  }

  it('in ranges, from a server without them, and from one that states no length', async () => {
    const file = likeVideo(37 * MB)
    for (const answer of [inRanges(file), whole(file), ((_req, res) => res.writeHead(200).end(file)) as ReturnType<typeof whole>]) {
      source.serve(answer)
      const uploadId = await create()
      await runImport(uploadId, forever)
      await expectStored(uploadId, file)
    }
  })

  it('go on after a cut with the bytes that the store has, and begin again when the file changed', async () => {
    const [file, changed] = [likeVideo(21 * MB), likeVideo(22 * MB)]
    for (const [etag, last] of [
      ['"one"', file],
      ['"two"', changed],
    ] as const) {
      source.serve((req, res, nth) => {
        if (nth > 1) return inRanges(last, etag)(req, res, nth)
        res.writeHead(206, { ETag: '"one"', 'Content-Range': `bytes 0-${16 * MB - 1}/${file.length}`, 'Content-Length': 16 * MB })
        res.write(file.subarray(0, 9 * MB), () => setImmediate(() => res.destroy()))
      })
      const uploadId = await create()
      await runImport(uploadId, forever)
      const { bytesReceived } = await caller.get(uploadId)
      expect(bytesReceived).toBeGreaterThan(0)
      await runImport(uploadId, forever)
      expect(source.asked[1]?.range).toMatch(`bytes=${bytesReceived}-`)
      await expectStored(uploadId, last)
    }
  })

  it('leave nothing behind when they are cancelled in the middle, or fail', async () => {
    const reached = new Promise<void>((resolve) => {
      source.serve((_req, res) => res.writeHead(200, { 'Content-Length': 40 * MB }).write(likeVideo(20 * MB), () => resolve()))
    })
    const cancelled = await create()
    const run = runImport(cancelled, forever)
    await reached
    expect((await caller.cancel(cancelled)).status).toBe(200)
    await run
    expect(await caller.get(cancelled)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
    await expectNothingLeft(cancelled)
    source.serve((_req, res) => res.writeHead(200).end(likeVideo(20 * MB)))
    const large = await create({ maxBytes: 18 * MB })
    await runImport(large, forever)
    expect(await caller.get(large)).toMatchObject({ status: 'failed', failureCode: 'TOO_LARGE' })
    await expectNothingLeft(large)
  })
})
