import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { services } from '../../../platform/container.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { StorageError } from '../../../platform/storage/storage-error.ts'
import { testDatabase } from '../../../testing/database.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount } from '../../../testing/make.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { intake } from './intake.ts'
import { TRANSCODE_METRICS } from './metrics.ts'

expectLoggedErrors(/STORAGE_/)
const { dataDir } = await testDatabase()
provide({ STORAGE_RESERVE_BYTES: '0' })

let ctx: AccountCtx
beforeAll(async () => {
  await startQueue(JOBS)
  ctx = await makeAccount()
})
afterEach(() => {
  provide({ DATA_DIR: dataDir })
  renew('storage')
})
afterAll(stopQueue)

const read = (id: string) => db().media.findUniqueOrThrow({ where: { id }, include: { queued: { include: { tasks: true } } } })
const due = (id: string) => db().$executeRaw`UPDATE transcode_task SET due_at = service_now() WHERE media_id = ${id}`
const attempt = (videoId: string) => transcodeVideo({ accountId: ctx.accountId, videoId }, new AbortController().signal)
const inSec = async (id: string) => {
  const [row] = await db().$queryRaw<[{ sec: number }]>`
    SELECT extract(epoch FROM due_at - service_now())::float8 AS sec FROM transcode_task WHERE media_id = ${id}`
  return row.sec
}
const upload = async () => {
  const path = join(dataDir, 'some.mp4')
  writeFileSync(path, 'a file')
  return pendingVideo(ctx, path)
}

describe('a worker whose storage lacks the source', () => {
  it('returns the video without counting an attempt, later each time, and says so once', async () => {
    const id = await upload()
    const other = await mkdtemp(join(tmpdir(), 'reelgate-other-'))
    provide({ DATA_DIR: other })
    renew('storage')
    const delays: number[] = []
    for (let round = 0; round < 5; round++) {
      await expect(attempt(id)).rejects.toThrow('no such object')
      expect(await read(id)).toMatchObject({
        status: 'PENDING',
        attempts: 0,
        failureReason: null,
        queued: { tasks: [{ storageFaults: round + 1 }] },
      })
      delays.push(await inSec(id))
      await due(id)
    }
    expect(delays[0]).toBeLessThan(10)
    expect(delays[4]).toBeGreaterThan(500)
    expect(
      (await db().videoLog.findMany({ where: { videoId: id }, orderBy: { id: 'asc' } })).map(({ step, message }) => [step, message]),
    ).toEqual([
      ['start', 'Transcoding started.'],
      ['interrupt', 'The worker cannot read the uploaded file from the media storage. Retrying automatically.'],
    ])
    const started = await db().$queryRaw<{ n: bigint }[]>`SELECT count(*) AS n FROM webhook_event WHERE payload LIKE ${`%started%${id}%`}`
    expect(Number(started[0]?.n)).toBeLessThanOrEqual(1)
    // The machine that has the file finds out what it is.
    provide({ DATA_DIR: dataDir })
    renew('storage')
    await attempt(id)
    expect(await read(id)).toMatchObject({ status: 'FAILED', failureReason: expect.stringContaining('not a video') })
    const [results] = TRANSCODE_METRICS
    expect((await results?.read())?.filter(({ value }) => value > 0)).toEqual([
      { labels: { result: 'storage' }, value: 5 },
      { labels: { result: 'rejected' }, value: 1 },
    ])
    await rm(other, { recursive: true })
  })
})

describe('a worker whose storage does not respond', () => {
  it('takes no video until it does', async () => {
    const id = await upload()
    const real = storage()
    let calls = 0
    const unavailable = async () => {
      calls++
      throw new StorageError('STORAGE_UNAVAILABLE')
    }
    services().storage = { ...real, stat: unavailable, localFile: unavailable, check: unavailable }
    await expect(attempt(id)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(await read(id)).toMatchObject({ status: 'PENDING', attempts: 0, queued: { tasks: [{ storageFaults: 1 }] } })
    const next = attempt(id)
    const before = calls
    await expect.poll(() => calls).toBeGreaterThan(before + 1)
    expect(intake().paused).toMatch(/storage/)
    expect((await read(id)).status).toBe('PENDING')
    services().storage = real
    await next
    expect((await read(id)).status).toBe('FAILED')
  })
})
