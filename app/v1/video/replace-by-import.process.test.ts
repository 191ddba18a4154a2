import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { JOBS } from '../../../server/jobs.ts'
import { storageOf } from '../../../server/modules/identity/accounts/storage.ts'
import { expireDirectUploads } from '../../../server/modules/uploads/direct/expire-direct.ts'
import { runImport } from '../../../server/modules/uploads/import/import-run.ts'
import { db } from '../../../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../../../server/platform/job-queue.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeVideo } from '../../../server/testing/make.ts'
import { otherClip, replacer } from '../../../server/testing/media/replacing.ts'
import { recount } from '../../../server/testing/recount.ts'
import { inRanges, startFileServer } from '../../../server/testing/services/file-server.ts'
import { provide } from '../../../server/testing/settings.ts'

await testDatabase()
provide({ IMPORT_ALLOWED_HOSTS: '127.0.0.1', STORAGE_RESERVE_BYTES: '0' })
const baseUrl = await startHttpServer()
const source = await startFileServer()
const signal = new AbortController().signal
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

it('an import replaces a source', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx, { encrypted: false })
  source.serve(inRanges(await readFile(await otherClip())))
  const { uploadId } = await caller.created(id, { url: `${source.url}/lesson.mp4?signature=secret` })
  await runImport(uploadId, signal)
  expect(await caller.get(uploadId)).toMatchObject({ status: 'completed', videoId: id })
  const [row = ''] = await caller.pending(id)
  await caller.transcode(row)
  const replaced = await db().video.findUniqueOrThrow({ where: { id }, include: { media: true } })
  expect(replaced).toMatchObject({ media: { id: row, sourceName: 'lesson.mp4', contentKey: null }, encrypted: false, durationSec: 6 })
  const [entry] = await db().auditEntry.findMany({ where: { accountId: caller.ctx.accountId, action: 'video.source' } })
  expect(entry).toMatchObject({ subject: id, actor: caller.keyId, after: { importedFrom: expect.stringContaining('/lesson.mp4') } })
  expect(JSON.stringify(entry?.after)).not.toContain('secret')
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
})

it('an import without a file, and an upload that expires, leave the video as it is', async () => {
  const caller = await replacer(baseUrl)
  const id = await makeVideo(caller.ctx)
  const before = await db().video.findUniqueOrThrow({ where: { id } })
  source.serve((_req, res) => res.writeHead(404).end())
  const { uploadId } = await caller.created(id, { url: `${source.url}/absent.mp4` })
  await runImport(uploadId, signal)
  expect(await caller.get(uploadId)).toMatchObject({ status: 'failed', failureCode: 'NOT_FOUND', videoId: null })
  const late = await caller.created(id)
  await db().directUpload.update({ where: { id: late.uploadId }, data: { expiresAt: new Date(0) } })
  await expireDirectUploads(signal)
  expect(await caller.get(late.uploadId)).toMatchObject({ status: 'expired', failureCode: 'EXPIRED', videoId: null })
  expect(await db().video.findUniqueOrThrow({ where: { id } })).toEqual(before)
  const events = await db().webhookEvent.findMany({ where: { accountId: caller.ctx.accountId, type: 'upload.failed' } })
  expect(events.map(({ payload }) => JSON.parse(payload).data.code).sort()).toEqual(['EXPIRED', 'NOT_FOUND'])
  expect(await storageOf(caller.ctx.accountId)).toEqual(await recount(caller.ctx.accountId))
  expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0 })
})
