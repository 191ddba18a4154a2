import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { JOBS } from '../jobs.ts'
import { sampleClipArguments } from '../modules/transcoding/quality/sample-clip.ts'
import { db } from '../platform/database/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount } from '../testing/make.ts'
import { makeMediaFile } from '../testing/media/media-files.ts'
import { rounds } from '../testing/media/rounds.ts'
import { transcodeVideo } from '../testing/media/transcode-video.ts'
import { startWorkerProcess } from '../testing/services/worker-process.ts'
import { pendingVideo } from '../testing/upload.ts'

await testDatabase()
const KILLS = rounds(1, 50)
const SECONDS = rounds(32, 600)
const WORKERS = 2
let ctx: AccountCtx

beforeAll(async () => {
  await startQueue(JOBS)
  ctx = await makeAccount()
  // Counts the leases of each task; the tasks are deleted when their video is complete.
  await db().$executeRawUnsafe('CREATE TABLE lease_log (video_id TEXT, kind TEXT, position INTEGER, result BOOLEAN)')
  await db().$executeRawUnsafe(`CREATE FUNCTION log_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO lease_log VALUES (NEW.media_id, NEW.kind, NEW.position, OLD.done_at IS NOT NULL); RETURN NULL; END $$`)
  await db().$executeRawUnsafe(`CREATE TRIGGER log_lease AFTER UPDATE ON transcode_task FOR EACH ROW
    WHEN (NEW.lease_id IS NOT NULL AND NEW.lease_id IS DISTINCT FROM OLD.lease_id) EXECUTE FUNCTION log_lease()`)
})
afterAll(stopQueue)

/** Queues an unencrypted video, whose segments are named by what they show. */
async function queued(): Promise<string> {
  const size = { width: 256, height: 144, rate: rounds(15, 25) }
  const clip = await makeMediaFile(`chunks-${SECONDS}.mp4`, sampleClipArguments({ seconds: SECONDS, ...size }))
  return pendingVideo(ctx, clip, { encrypted: false })
}

const find = (id: string) => db().media.findUniqueOrThrow({ where: { id }, include: { renditions: true, audio: true } })
async function lists(id: string) {
  const { renditions, audio } = await find(id)
  return [...renditions, ...audio].map(({ segments }) => segments)
}
const leases = (videoId: string) =>
  db().$queryRaw<{ kind: string; position: number; times: number; repeated: number }[]>`
    SELECT kind, position, count(*)::int AS times, count(*) FILTER (WHERE result)::int AS repeated FROM lease_log
    WHERE video_id = ${videoId} GROUP BY kind, position`

it(`a video of ${SECONDS} s is the same whether workers are killed (${KILLS}) or not, and no finished chunk is encoded again`, async () => {
  const undisturbed = await queued()
  await transcodeVideo({ accountId: ctx.accountId, videoId: undisturbed }, new AbortController().signal)
  expect((await leases(undisturbed)).filter(({ kind }) => kind === 'video').length).toBeGreaterThan(2)

  const workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorkerProcess('worker', { TRANSCODE_CONCURRENCY: '1' })))
  const id = await queued()
  let kills = 0
  while (kills < KILLS && !['COMPLETED', 'FAILED'].includes((await find(id)).status)) {
    await wait(Math.random() * rounds(400, 1_000))
    const busy = await db().transcodeTask.count({ where: { mediaId: id, leasedUntil: { not: null }, kind: { not: 'plan' } } })
    if (busy === 0) continue
    const at = Math.floor(Math.random() * WORKERS)
    await workers[at]?.kill()
    kills++
    workers[at] = await startWorkerProcess('worker', { TRANSCODE_CONCURRENCY: '1' })
  }
  await vi.waitFor(async () => expect(await find(id)).toMatchObject({ status: 'COMPLETED', failureReason: null }), {
    timeout: 900_000,
    interval: 100,
  })
  expect(await lists(id)).toEqual(await lists(undisturbed))
  const done = await leases(id)
  expect(done.filter(({ repeated }) => repeated > 0)).toEqual([])
  const extraOf = (tasks: typeof done) => tasks.reduce((sum, { times }) => sum + times - 1, 0)
  const [extra, chunks] = [extraOf(done), extraOf(done.filter(({ kind }) => kind === 'video'))]
  console.log(`${kills} kills, ${extra} leases of ${done.length} tasks repeated, ${chunks} of them of chunks`)
  // A worker holds at most one chunk and one track.
  expect(chunks).toBeLessThanOrEqual(kills)
  expect(extra).toBeLessThanOrEqual(2 * kills)
  expect(kills).toBeGreaterThan(0)
  await Promise.all(workers.map((worker) => worker.kill()))
}, 5_400_000)
