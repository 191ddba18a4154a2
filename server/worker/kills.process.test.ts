import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { JOBS } from '../jobs.ts'
import { masterPlaylistUrl } from '../modules/delivery/sessions/media-permit.ts'
import { sweepWorkFolders } from '../modules/transcoding/encode/work-folder.ts'
import { segmentKey, segmentPrefix } from '../modules/videos/media-keys.ts'
import { db } from '../platform/database/database.ts'
import { ffmpeg } from '../platform/ffmpeg/ffmpeg.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { makeAccount } from '../testing/make.ts'
import { shortClip } from '../testing/media/media-files.ts'
import { rounds } from '../testing/media/rounds.ts'
import { startWorkerProcess } from '../testing/services/worker-process.ts'
import { pendingVideo } from '../testing/upload.ts'

const { dataDir } = await testDatabase()
const KILLS = rounds(1, 20)
/** Enough that no video is killed more often than it is attempted. */
const VIDEOS = Math.ceil(KILLS / 2) + 1
const SECONDS = 9
/** Longest time for which a video may be left with a dead worker. */
const LEASE_MOST_SEC = 10
/** Receipts are measured in folders of their own, at any time after a video is COMPLETED. */
const startWorker = () => startWorkerProcess('worker', { AV1_AFTER_HOURS: '' })
let ctx: AccountCtx

beforeAll(async () => {
  await startHttpServer()
  await startQueue(JOBS)
  ctx = await makeAccount()
})
afterAll(stopQueue)

const videos = () =>
  db().media.findMany({
    where: { accountId: ctx.accountId },
    include: { renditions: true, audio: true, iframes: true },
  })

/** Checks that a COMPLETED video is whole, and that one of which nothing can be watched yet is not served. */
async function checkPlayable(): Promise<void> {
  for (const { id, status, playableAt, renditions, audio } of await videos()) {
    if (status !== 'COMPLETED') {
      expect([...renditions, ...audio]).toEqual([])
      if (!playableAt) expect((await fetch(masterPlaylistUrl(id, SECONDS).url)).status).toBe(404)
      continue
    }
    expect(renditions.map((one) => one.quality).sort()).toEqual(['240p', '360p'])
    for (const { segments } of [...renditions, ...audio]) {
      const listed = segments as [string, number][]
      expect(listed.reduce((sum, [, seconds]) => sum + seconds, 0)).toBeCloseTo(SECONDS, 1)
      for (const [name] of listed) expect((await storage().stat(segmentKey(id, name)))?.bytes).toBeGreaterThan(0)
    }
  }
}

interface Leased {
  videoId: string
  kind: string
  losses: number
  leaseId: string
  /** Seconds until another worker may take the task. */
  leaseSec: number
}

/** Returns the tasks in the hands of a worker, dead or alive. */
const leased = () => db().$queryRaw<Leased[]>`
  SELECT media_id AS "videoId", kind, losses, lease_id AS "leaseId", extract(epoch FROM leased_until - service_now())::float8 AS "leaseSec"
  FROM transcode_task WHERE leased_until IS NOT NULL`

it(`workers that are killed at random moments (${KILLS}) leave nothing incomplete, and others finish every video`, async () => {
  for (let made = 0; made < VIDEOS; made++) await pendingVideo(ctx, await shortClip())
  const killed: Leased[] = []
  let worker = await startWorker()
  while (killed.length < KILLS) {
    // At any point of the second or two that one of these clips takes, storing included.
    await wait(Math.random() * 1_500)
    // A file that three workers were lost on while they read it fails.
    const isVictim = (task: Leased) => (task.kind !== 'plan' || task.losses < 2) && !killed.some(({ leaseId }) => leaseId === task.leaseId)
    if (!(await leased()).some(isVictim)) {
      if ((await videos()).every((one) => one.status === 'COMPLETED')) await pendingVideo(ctx, await shortClip())
      continue
    }
    await worker.kill()
    killed.push(...(await leased()).filter(({ leaseId }) => !killed.some((one) => one.leaseId === leaseId)))
    await checkPlayable()
    worker = await startWorker()
  }
  await vi.waitFor(
    async () =>
      expect((await videos()).map((one) => [one.status, one.failureReason])).toEqual((await videos()).map(() => ['COMPLETED', null])),
    { timeout: 600_000, interval: 250 },
  )
  await checkPlayable()
  const finished = await videos()
  const waits = killed.map(({ leaseSec }) => Math.max(0, leaseSec))
  console.log(`${killed.length} tasks of killed workers, free for another worker after ${waits.map((one) => one.toFixed(1)).join(' ')} s`)
  expect(Math.max(...waits)).toBeLessThanOrEqual(LEASE_MOST_SEC)

  const events = await db().webhookEvent.findMany({ where: { accountId: ctx.accountId }, orderBy: { type: 'asc' } })
  for (const { id, renditions, audio, iframes } of finished) {
    // However many workers started it, it is reported as started once and as completed once.
    const types = events.filter(({ payload }) => JSON.parse(payload).data.videoId === id).map(({ type }) => type)
    expect(types.filter((type) => type !== 'video.playable')).toEqual(['video.processing.completed', 'video.processing.started'])
    const named = new Set(
      [...renditions, ...audio, ...iframes].flatMap(({ segments }) =>
        (segments as [string, number][]).map(([name]) => segmentKey(id, name)),
      ),
    )
    const stored: string[] = []
    for await (const key of storage().list(segmentPrefix(id))) stored.push(key)
    expect(new Set(stored)).toEqual(named)
    expect(await ffmpeg(['-i', masterPlaylistUrl(id, SECONDS).url, '-map', '0', '-f', 'null', '-'])).toBe('')
  }
  // A worker that is killed between storing its result and removing its folder leaves that one to the sweep.
  await sweepWorkFolders()
  expect(existsSync(join(dataDir, 'work')) ? readdirSync(join(dataDir, 'work')) : []).toEqual([])
  await worker.kill()
}, 1_200_000)
