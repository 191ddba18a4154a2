import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { JOBS } from '../jobs.ts'
import { masterPlaylistUrl } from '../modules/playback/media-permit.ts'
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
/** Longest time for which a video may be left with a dead worker. */
const LEASE_MOST_SEC = 10
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
  attempt: number
  /** Seconds until another worker may take the video. */
  leaseSec: number
}

/** Returns the seconds that remain of a dead worker's lease: 0 when it had completed the video. */
async function remainingLease(videoId: string): Promise<number> {
  const [row] = await db().$queryRaw<{ sec: number }[]>`
    SELECT extract(epoch FROM leased_until - service_now())::float8 AS sec FROM transcode_task WHERE video_id = ${videoId}`
  return Math.max(0, row?.sec ?? 0)
}

it(`${KILLS} workers killed at random moments leave nothing incomplete, and others finish every video`, async () => {
  for (let made = 0; made < VIDEOS; made++) await pendingVideo(ctx, await shortClip())
  const killed: Killed[] = []
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
    killed.push({ id: victim.id, attempt: victim.attempts, leaseSec: await remainingLease(victim.id) })
    await checkPlayable()
    worker = await startWorkerProcess('worker')
  }
  await vi.waitFor(
    async () =>
      expect((await videos()).map((one) => [one.status, one.failureReason])).toEqual((await videos()).map(() => ['COMPLETED', null])),
    { timeout: 600_000, interval: 250 },
  )
  await checkPlayable()
  const finished = await videos()
  const waits = killed.map(({ leaseSec }) => leaseSec)
  console.log(`${killed.length} kills, their videos free for another worker after ${waits.map((one) => one.toFixed(1)).join(' ')} s`)
  expect(Math.max(...waits)).toBeLessThanOrEqual(LEASE_MOST_SEC)

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
