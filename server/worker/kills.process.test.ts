import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { JOBS } from '../jobs.ts'
import { masterPlaylistUrl } from '../modules/playback/media-permit.ts'
import { LEASE_SEC } from '../modules/transcoding/lease.ts'
import { segmentKey, segmentPrefix } from '../modules/videos/media-keys.ts'
import { db } from '../platform/database.ts'
import { ffmpeg } from '../platform/ffmpeg.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { makeAccount } from '../testing/make.ts'
import { shortClip } from '../testing/media-files.ts'
import { rounds } from '../testing/rounds.ts'
import { pendingVideo } from '../testing/upload.ts'
import { startWorkerProcess } from '../testing/worker-process.ts'

const { dataDir } = await testDatabase()
const KILLS = rounds(2, 20)
/** Enough that no video is killed more often than it is attempted. */
const VIDEOS = Math.ceil(KILLS / 2) + 1
const SECONDS = 9
let ctx: AccountCtx

beforeAll(async () => {
  await startHttpServer()
  await startQueue(JOBS)
  ctx = await makeAccount()
})
afterAll(stopQueue)

const videos = () =>
  db().video.findMany({
    where: { accountId: ctx.accountId },
    include: { renditions: true, log: { where: { step: 'start' }, orderBy: { id: 'asc' } } },
  })

/** Checks that a COMPLETED video is whole, and that any other cannot be played. */
async function checkPlayable(): Promise<void> {
  for (const { id, status, renditions } of await videos()) {
    if (status !== 'COMPLETED') {
      expect(renditions).toEqual([])
      expect((await fetch(masterPlaylistUrl(id, SECONDS).url)).status).toBe(404)
      continue
    }
    expect(renditions.map((one) => one.quality).sort()).toEqual(['240p', '360p'])
    for (const { segments } of renditions) {
      const listed = segments as [string, number][]
      expect(listed.reduce((sum, [, seconds]) => sum + seconds, 0)).toBeCloseTo(SECONDS, 1)
      for (const [name] of listed) expect((await storage().stat(segmentKey(id, name)))?.bytes).toBeGreaterThan(0)
    }
  }
}

interface Killed {
  id: string
  at: number
  attempt: number
  /** When the dead worker's lease ended: until then no other worker could take it. */
  freedAt?: number
}

async function watchFreed(killed: Killed[], over: AbortSignal): Promise<void> {
  for (; !over.aborted; await wait(250)) await noteFreed(killed)
  await noteFreed(killed)
}

async function noteFreed(killed: Killed[]): Promise<void> {
  const found = await db().$queryRaw<{ id: string; free: boolean; attempts: number }[]>`
    SELECT v.id, COALESCE(q.leased_until, '-infinity') <= service_now() AS free, v.attempts
    FROM video v LEFT JOIN transcode_queue q ON q.video_id = v.id`
  for (const one of killed) {
    const row = found.find(({ id }) => id === one.id)
    if (row?.free || (row?.attempts ?? 0) > one.attempt) one.freedAt ??= Date.now()
  }
}

it(`${KILLS} workers killed at random moments leave nothing incomplete, and others finish every video`, async () => {
  for (let made = 0; made < VIDEOS; made++) await pendingVideo(ctx, await shortClip())
  const killed: Killed[] = []
  const over = new AbortController()
  const watching = watchFreed(killed, over.signal)
  let worker = await startWorkerProcess('worker')
  while (killed.length < KILLS) {
    // At any point of the second or two that one of these clips takes, storing included.
    await wait(Math.random() * 1_500)
    const [victim] = (await videos()).filter(
      (one) =>
        one.status === 'PROCESSING' && one.attempts < 3 && !killed.some(({ id, attempt }) => id === one.id && attempt === one.attempts),
    )
    if (!victim) {
      if ((await videos()).every((one) => one.status === 'COMPLETED')) await pendingVideo(ctx, await shortClip())
      continue
    }
    await worker.kill()
    killed.push({ id: victim.id, at: Date.now(), attempt: victim.attempts })
    await checkPlayable()
    worker = await startWorkerProcess('worker')
  }
  await vi.waitFor(
    async () =>
      expect((await videos()).map((one) => [one.status, one.failureReason])).toEqual((await videos()).map(() => ['COMPLETED', null])),
    { timeout: 600_000, interval: 250 },
  )
  over.abort()
  await watching
  await checkPlayable()
  const finished = await videos()
  const waits = killed.map(({ at, freedAt = Number.NaN }) => (freedAt - at) / 1_000)
  console.log(`${killed.length} kills, their jobs free for another worker after ${waits.map((one) => one.toFixed(0)).join(' ')} s`)
  // The lease, and the time until this test notices its end.
  expect(Math.max(...waits)).toBeLessThanOrEqual(LEASE_SEC + 3)

  const events = await db().webhookEvent.findMany({ where: { accountId: ctx.accountId }, orderBy: { type: 'asc' } })
  for (const { id, renditions } of finished) {
    // However many workers started it, it is reported as started once and as completed once.
    const types = events.filter(({ payload }) => JSON.parse(payload).data.videoId === id).map(({ type }) => type)
    expect(types).toEqual(['video.processing.completed', 'video.processing.started'])
    const named = new Set(renditions.flatMap(({ segments }) => (segments as [string, number][]).map(([name]) => segmentKey(id, name))))
    const stored: string[] = []
    for await (const key of storage().list(segmentPrefix(id))) stored.push(key)
    expect(new Set(stored)).toEqual(named)
    expect(await ffmpeg(['-i', masterPlaylistUrl(id, SECONDS).url, '-map', '0', '-f', 'null', '-'], { online: true })).toBe('')
  }
  expect(existsSync(join(dataDir, 'work')) ? readdirSync(join(dataDir, 'work')) : []).toEqual([])
  await worker.kill()
}, 1_200_000)
