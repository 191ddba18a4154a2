import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database/database.ts'
import { enqueueSoon, startQueue, stopQueue } from '../../platform/job-queue.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { startWorker, stopWorker } from '../../worker/worker.ts'
import { segmentKey, sourceKey } from './media-keys.ts'

await testDatabase()
beforeAll(async () => {
  await startQueue(JOBS)
  await startWorker()
})
afterAll(async () => {
  await stopWorker()
  await stopQueue()
})

const NAME = 'a'.repeat(32)

it('purgeVideos deletes a video deleted more than 7 days ago with its media; others stay', async () => {
  const ctx = await makeAccount()
  const ids: Record<'kept' | 'recent' | 'old', string> = { kept: '', recent: '', old: '' }
  for (const [name, days] of [
    ['kept', undefined],
    ['recent', 6.9],
    ['old', 7.1],
  ] as const) {
    const id = await makeVideo(ctx)
    ids[name] = id
    await db().media.update({ where: { id }, data: { sourceKey: sourceKey(id) } })
    if (days) await db().$executeRaw`UPDATE video SET deleted_at = service_now() - make_interval(secs => ${days * 86_400}) WHERE id = ${id}`
    for (const key of [sourceKey(id), segmentKey(id, NAME)]) await storage().put(key, Buffer.from('media'))
  }
  await enqueueSoon(JOBS['video.purge'], {})
  await vi.waitFor(async () => expect(await storage().stat(sourceKey(ids.old))).toBeUndefined())
  await vi.waitFor(async () => expect(await storage().stat(segmentKey(ids.old, NAME))).toBeUndefined())
  expect((await db().video.findMany({ select: { id: true } })).map(({ id }) => id).sort()).toEqual([ids.kept, ids.recent].sort())
  for (const id of [ids.kept, ids.recent]) {
    expect(await storage().stat(sourceKey(id))).toBeDefined()
    expect(await storage().stat(segmentKey(id, NAME))).toBeDefined()
  }
})
